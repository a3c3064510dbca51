-- Grain: none: a batch without links.
SELECT CAST(NULL AS VARCHAR) AS dataset, CAST(NULL AS VARCHAR) AS ref, CAST(NULL AS VARCHAR) AS ref_key,
       CAST(NULL AS VARCHAR) AS alias, CAST(NULL AS VARCHAR) AS alias_key, CAST(NULL AS VARCHAR) AS method
WHERE FALSE
