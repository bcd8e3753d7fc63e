-- Tags are found whatever their case, which this index could not help with.
DROP INDEX tag_by_name;

-- The files of a node in one row, a line each: paths are found by how they end, or by a part of them, which no index
-- helps with.
CREATE TABLE files_touched (
    node INTEGER PRIMARY KEY,
    read TEXT NOT NULL,
    modified TEXT NOT NULL
);
INSERT INTO files_touched (node, read, modified)
    SELECT node,
        coalesce(group_concat(path, char(10)) FILTER (WHERE NOT modified), ''),
        coalesce(group_concat(path, char(10)) FILTER (WHERE modified), '')
    FROM file_touched GROUP BY node;
DROP TABLE file_touched;

-- Of a segment, only what is asked for: its last entry, and what opened it.
ALTER TABLE segment ADD COLUMN end_entry TEXT;
-- as JSON: type, metadata, entry and time of each
ALTER TABLE segment ADD COLUMN boundaries TEXT NOT NULL DEFAULT '[]';
UPDATE segment SET
    end_entry = json_extract(data, '$.endEntryId'),
    boundaries = coalesce(json_extract(data, '$.boundaries'), '[]');
ALTER TABLE segment DROP COLUMN data;

-- Of an edge, only what the other columns do not say.
UPDATE edge SET data = json_remove(data, '$.id', '$.sourceNodeId', '$.targetNodeId', '$.type', '$.createdBy');
