-- Grain: as the query, a reader's own SELECT. Its columns as JSON-able values.
SELECT {columns} FROM (
{query}
) AS q {limit};
