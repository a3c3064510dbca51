-- Grain: one row of {rows} whose id in {column} is not erased. Inputs: {rows}, graph.tombstones. Parameters: $dataset, $secret, $kind.
WITH mine AS (
    SELECT token FROM graph.tombstones WHERE dataset = $dataset AND kind = $kind
), hashed AS (
    SELECT DISTINCT r.{column} AS id, token_of($secret, $kind, r.{column}) AS token FROM {rows} AS r
), erased AS (
    SELECT h.id FROM hashed AS h JOIN mine AS m ON m.token = h.token
)
SELECT r.* FROM {rows} AS r LEFT JOIN erased AS e ON e.id = r.{column} WHERE e.id IS NULL
