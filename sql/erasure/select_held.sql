-- Grain: one row: how many ids in the tables of a snapshot are erased. Inputs: the Parquet files of the snapshot, graph.tombstones.
-- Parameters: $secret and the files.
WITH named AS (
    SELECT dataset, 'entity' AS kind, subject AS id FROM read_parquet($statements)
    UNION SELECT dataset, 'entity', object FROM read_parquet($statements)
    UNION SELECT dataset, 'entity', ref FROM read_parquet($identities)
    UNION SELECT dataset, 'entity', node_id FROM read_parquet($identities)
    UNION SELECT dataset, 'entity', node_id FROM read_parquet($nodes)
    UNION SELECT dataset, 'entity', subject FROM read_parquet($edges)
    UNION SELECT dataset, 'entity', object FROM read_parquet($edges)
    UNION SELECT dataset, 'entity', ref FROM read_parquet($mentions)
    UNION SELECT dataset, 'document', document_id FROM read_parquet($documents)
    UNION SELECT dataset, 'document', document_id FROM read_parquet($chunks)
    UNION SELECT dataset, 'document', document_id FROM read_parquet($evidence)
    UNION SELECT dataset, 'document', scope FROM read_parquet($quarantine)
    UNION SELECT s.dataset, 'record', s.source || '/' || e.source_table || ' ' || e.source_key
          FROM read_parquet($statements) AS s
          JOIN read_parquet($evidence) AS e ON e.dataset = s.dataset AND e.evidence_id = s.evidence_id
), hashed AS (
    SELECT dataset, kind, token_of($secret, kind, id) AS token FROM named WHERE id IS NOT NULL
)
SELECT count(*) AS held FROM hashed AS h
JOIN graph.tombstones AS t ON t.dataset = h.dataset AND t.kind = h.kind AND t.token = h.token
