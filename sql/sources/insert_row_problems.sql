-- Grain: a row that can say nothing. Inputs: entities, stratagraph.rows.
INSERT INTO problems
SELECT e.problem, e.detail, r.content, $source || '/' || e.table_name || ' ' || e.source_key, $source || '/' || e.table_name
FROM stratagraph.rows AS r JOIN entities AS e ON r.source = $source AND r.table_name = e.table_name AND r.key = e.key AND r.loaded_at = e.loaded_at
WHERE e.problem IS NOT NULL;
