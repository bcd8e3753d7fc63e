-- What is set aside for answers to questions that are on their way: by whom, until when, and what they may take.
CREATE TABLE answer_lease (
    lease TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    dollars REAL
) WITHOUT ROWID;
