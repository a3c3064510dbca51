-- Grain: one key to be derived again whole, numbered. Input: whole_keys (dataset, kind, k1, k2, k3).
SELECT row_number() OVER () AS key, dataset, kind, k1, k2, k3, CAST('-infinity' AS TIMESTAMPTZ) AS hull_from,
       CAST('infinity' AS TIMESTAMPTZ) AS hull_to, TRUE AS by_event, TRUE AS logged, TRUE AS hot, TRUE AS whole
FROM whole_keys
