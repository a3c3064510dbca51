-- Grain: none: refs that change their node, when there is no reason for any to.
SELECT CAST(NULL AS VARCHAR) AS dataset, CAST(NULL AS VARCHAR) AS ref, CAST(NULL AS VARCHAR) AS node_id, CAST(NULL AS VARCHAR) AS method,
       CAST(NULL AS DOUBLE) AS score, CAST(NULL AS VARCHAR) AS reason
WHERE FALSE
