-- Grain: one row of {table}, what extraction just found in a text, of which the entity in {column} is erased.
-- Inputs: {table}, graph.tombstones. Parameters: $dataset, $secret.
DELETE FROM {table} AS f USING graph.tombstones AS t
WHERE t.dataset = $dataset AND t.kind = 'entity' AND t.token = token_of($secret, 'entity', f.{column})
