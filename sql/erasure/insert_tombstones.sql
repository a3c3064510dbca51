-- Grain: one id that must not come back. Inputs: erased_ids, graph.tombstones. Parameters: $dataset, $secret, $at.
INSERT INTO graph.tombstones
WITH named AS (
    SELECT i.kind, token_of($secret, i.kind, i.id) AS token FROM erased_ids AS i
)
SELECT $dataset AS dataset, n.kind, n.token, CAST($at AS TIMESTAMPTZ) AS recorded_at FROM named AS n
WHERE NOT EXISTS (
    SELECT 1 FROM graph.tombstones AS t WHERE t.dataset = $dataset AND t.kind = n.kind AND t.token = n.token
)
ORDER BY n.kind, n.token
