-- What the user should have a look at, of the current version of each node.
CREATE TABLE review (
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    decision TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;

-- What was there before has to be looked through once: for what needs a look, and for links.
INSERT OR IGNORE INTO meta (key, value) SELECT 'unreviewed', 1 WHERE EXISTS (SELECT 1 FROM node);
INSERT OR IGNORE INTO meta (key, value) SELECT 'unlinked', 1 WHERE EXISTS (SELECT 1 FROM node);
