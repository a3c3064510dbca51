-- Grain: as the table, in a total order. Input: {table}.
SELECT * FROM {table} AS t ORDER BY ALL;
