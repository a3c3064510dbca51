-- Grain: one row: the foreign keys of a source that its edges are made of, and those of them that do not hold for every row.
-- Inputs: graph.foreign_keys.
SELECT
    count(*),
    coalesce(
        list(
            k.table_name || '(' || array_to_string(k.columns, ', ') || ') -> ' || k.referenced_table || ': '
            || round(100 * k.coverage, 2) || ' %'
            ORDER BY k.coverage, k.table_name, k.columns, k.referenced_table
        ) FILTER (WHERE k.coverage < 1),
        []
    )
FROM graph.foreign_keys AS k
WHERE k.dataset = $dataset AND k.source = $source AND k.used;
