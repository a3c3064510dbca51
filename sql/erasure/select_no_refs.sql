-- Grain: none: what is erased is no entity.
SELECT CAST(NULL AS VARCHAR) AS ref WHERE FALSE
