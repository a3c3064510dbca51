-- Grain: a row that can't be a node. Input: entities.
INSERT INTO problems
SELECT problem, detail, content, $source || '/' || table_name || ' ' || source_key, $source || '/' || table_name
FROM entities WHERE problem IS NOT NULL;
