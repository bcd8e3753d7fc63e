-- With which version of rules or prompts the current version was made; empty for what is older than this column.
ALTER TABLE node ADD COLUMN analyzer_version TEXT NOT NULL DEFAULT '';

-- What is to be done, at most one thing for each node (0 for what is about all of them).
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    node INTEGER NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- who waits for it; NULL if nobody does
    run TEXT,
    -- smaller comes first
    priority INTEGER NOT NULL,
    started INTEGER NOT NULL,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    -- what went wrong last
    trouble TEXT,
    error TEXT,
    -- who is at it, until when, and what that may take
    lease TEXT UNIQUE,
    owner TEXT,
    leased_until INTEGER,
    reserved_tokens INTEGER,
    reserved_dollars REAL
);
CREATE INDEX job_in_turn ON job (priority, started DESC) WHERE NOT dead;

-- What the journal says that models took for us.
CREATE TABLE model_use (
    lease TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    node INTEGER,
    run TEXT,
    purpose TEXT NOT NULL,
    analyzer TEXT NOT NULL,
    model TEXT,
    requests INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    dollars REAL,
    outcome TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX model_use_by_time ON model_use (at);

-- Sessions of which somebody said that a unit of work is over.
CREATE TABLE announced (
    session TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) WITHOUT ROWID;
