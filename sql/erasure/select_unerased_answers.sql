-- Grain: one answer of a model on its way to the warehouse, about a chunk that stands and naming no entity that is erased.
-- Inputs: {answers}, graph.chunks, graph.tombstones. Parameters: $dataset, $secret, $base_iri.
WITH named AS (
    SELECT a.cache_key, $base_iri || unnest(CAST(json_extract_string(a.response, '$.resolved.entities[*].ref') AS VARCHAR[])) AS ref
    FROM {answers} AS a WHERE a.response IS NOT NULL
), erased AS (
    SELECT n.cache_key FROM named AS n
    JOIN graph.tombstones AS t
      ON t.dataset = $dataset AND t.kind = 'entity' AND t.token = token_of($secret, 'entity', n.ref)
)
SELECT a.* FROM {answers} AS a
SEMI JOIN graph.chunks AS c ON c.dataset = $dataset AND c.recorded_to = 'infinity' AND c.content_hash = a.chunk_hash
ANTI JOIN erased AS e ON e.cache_key = a.cache_key
