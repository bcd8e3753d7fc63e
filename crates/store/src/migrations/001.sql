-- Facts about the database itself.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;

-- Families: the forest's roots, messages and sessions. Chunks are named by what they belong to (upper half)
-- and their number (lower half).
CREATE TABLE root (
    id INTEGER PRIMARY KEY,
    last_message INTEGER NOT NULL,
    children BLOB NOT NULL,
    data TEXT NOT NULL
);
CREATE TABLE message_chunk (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
CREATE TABLE session (
    no INTEGER PRIMARY KEY,
    root INTEGER NOT NULL,
    id TEXT NOT NULL,
    file TEXT NOT NULL,
    parent TEXT,
    project TEXT NOT NULL,
    -- as late as can be where it is not known
    created INTEGER NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX session_by_root ON session (root);
CREATE INDEX session_by_id ON session (id);
CREATE INDEX session_by_project ON session (project, created, id);
CREATE TABLE entry_chunk (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
CREATE TABLE event (
    event INTEGER NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (event, session)
) WITHOUT ROWID;
CREATE TABLE bookmark (
    title TEXT PRIMARY KEY,
    data TEXT NOT NULL
) WITHOUT ROWID;

-- Session files as they were when they were last read. One that cannot be read has a problem and no session.
CREATE TABLE file (
    path TEXT PRIMARY KEY,
    session INTEGER,
    computer TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    problem TEXT
) WITHOUT ROWID;
CREATE TABLE log (
    session INTEGER PRIMARY KEY,
    position INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE outline (
    session INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
CREATE TABLE outline_chunk (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);

-- What is derived from a family: where each message is cited from and which segment it belongs to.
CREATE TABLE family (
    root INTEGER PRIMARY KEY,
    stale INTEGER NOT NULL,
    map BLOB
);
CREATE INDEX stale_family ON family (root) WHERE stale;
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    session INTEGER NOT NULL,
    project TEXT NOT NULL,
    started INTEGER,
    ended INTEGER,
    -- When nothing more can be expected of it, unless a boundary closes it before; NULL once it is closed.
    closes INTEGER,
    speaks INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    -- as JSON: first and last entry, boundaries
    data TEXT NOT NULL
);
CREATE INDEX segment_by_root ON segment (root, ordinal);
CREATE INDEX segment_to_close ON segment (closes) WHERE closes IS NOT NULL;
CREATE TABLE spending (
    segment INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    -- The quarter of an hour, counted from 1970: days begin on one in every time zone.
    quarter INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (segment, provider, model, quarter)
) WITHOUT ROWID;

-- Nodes: what lists and filters need of the current version. The node files have the rest.
CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    root INTEGER,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    type TEXT NOT NULL,
    outcome TEXT NOT NULL,
    summary TEXT NOT NULL,
    goal TEXT,
    language TEXT,
    started INTEGER NOT NULL,
    minutes REAL NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    entries INTEGER NOT NULL,
    computer TEXT NOT NULL,
    session_id TEXT NOT NULL,
    session_file TEXT NOT NULL,
    start_entry TEXT NOT NULL,
    end_entry TEXT NOT NULL,
    analyzer TEXT NOT NULL
);
CREATE INDEX node_by_time ON node (started);
CREATE INDEX node_by_project ON node (project, started);
CREATE INDEX node_by_session ON node (session_id, started);
CREATE INDEX node_by_root ON node (root);
CREATE TABLE node_version (
    node INTEGER NOT NULL,
    version INTEGER NOT NULL,
    path TEXT NOT NULL,
    analyzed TEXT NOT NULL,
    reason TEXT NOT NULL,
    analyzer TEXT NOT NULL,
    PRIMARY KEY (node, version)
) WITHOUT ROWID;
CREATE TABLE edge (
    id TEXT PRIMARY KEY,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    type TEXT NOT NULL,
    -- the family whose structure it shows; NULL for what a person or the link pass drew
    root INTEGER,
    created_by TEXT NOT NULL,
    data TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX edge_by_source ON edge (source);
CREATE INDEX edge_by_target ON edge (target);
CREATE INDEX edge_by_root ON edge (root) WHERE root IS NOT NULL;
CREATE TABLE tag (
    node INTEGER NOT NULL,
    kind TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (node, kind, tag)
) WITHOUT ROWID;
CREATE INDEX tag_by_name ON tag (tag);
CREATE TABLE file_touched (
    node INTEGER NOT NULL,
    path TEXT NOT NULL,
    modified INTEGER NOT NULL,
    PRIMARY KEY (node, path)
) WITHOUT ROWID;
CREATE INDEX file_touched_by_path ON file_touched (path);
CREATE TABLE tool (
    node INTEGER NOT NULL,
    name TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (node, name)
) WITHOUT ROWID;
CREATE TABLE error (
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    type TEXT NOT NULL,
    message TEXT NOT NULL,
    resolved INTEGER NOT NULL,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;
CREATE TABLE tool_error (
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    tool TEXT NOT NULL,
    type TEXT NOT NULL,
    model TEXT NOT NULL,
    context TEXT NOT NULL,
    retried INTEGER NOT NULL,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;
CREATE TABLE decision (
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    what TEXT NOT NULL,
    why TEXT NOT NULL,
    alternatives TEXT NOT NULL,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;
CREATE TABLE lesson (
    node INTEGER NOT NULL,
    level TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    summary TEXT NOT NULL,
    details TEXT NOT NULL,
    confidence TEXT NOT NULL,
    tags TEXT NOT NULL,
    actionable TEXT,
    PRIMARY KEY (node, level, ordinal)
) WITHOUT ROWID;
CREATE TABLE quirk (
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    model TEXT NOT NULL,
    observation TEXT NOT NULL,
    frequency TEXT NOT NULL,
    severity TEXT NOT NULL,
    workaround TEXT,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;

-- What the journal says, replayed.
CREATE TABLE flag (
    node INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (node, at, kind, message)
) WITHOUT ROWID;
CREATE TABLE hidden (
    node INTEGER PRIMARY KEY
);
CREATE TABLE forgotten (
    path TEXT PRIMARY KEY
) WITHOUT ROWID;

-- What the text index has not taken in yet: messages of a family (all of them where none are named), or a node.
CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    root INTEGER,
    messages BLOB,
    node INTEGER
);
