-- Grain: none; gives the names and types of the columns of a reader's own SELECT.
SELECT * FROM (
{query}
) AS q LIMIT 0;
