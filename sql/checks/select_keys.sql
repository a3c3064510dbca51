-- Grain: a foreign key, as it is shown to people; those that hold least come first.
-- Inputs: graph.foreign_keys.
SELECT
    k.source, k.table_name || '(' || array_to_string(k.columns, ', ') || ')' AS columns,
    k.referenced_table || '(' || array_to_string(k.referenced_columns, ', ') || ')' AS refers_to,
    k.origin, round(k.coverage, 6) AS coverage, round(k.confidence, 6) AS confidence, k.used
FROM graph.foreign_keys AS k
WHERE k.dataset = $dataset
ORDER BY k.coverage, k.confidence, k.source, k.table_name, k.columns, k.referenced_table
LIMIT $limit;
