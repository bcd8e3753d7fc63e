-- What a list says of a session, so that it need not read the files.
CREATE TABLE digest (
    session INTEGER PRIMARY KEY,
    -- how the first thing that a person said begins
    words TEXT,
    entries INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    branches INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    -- when somebody last said something
    said INTEGER
);

-- Files that were read before are looked at once more; what is known of them is not read again.
UPDATE file SET modified = 0 WHERE session IS NOT NULL;
