-- Grain: one statement live now of a touched key. Input: keyed_live, touched.
SELECT k.dataset AS dataset, k.statement_id AS statement_id, k.key_kind AS key_kind, k.k1 AS k1, k.k2 AS k2, k.k3 AS k3,
       k.predicate AS predicate, k.object_node AS object_node, k.mode AS mode, k.polarity AS polarity, k.valid_from AS valid_from,
       k.valid_to AS valid_to, coalesce(k.observed_at, k.recorded_from) AS observed, k.sequence AS sequence, k.source AS source,
       k.confidence AS confidence, k.value_hash AS value_hash,
       CASE k.kind WHEN 'node' THEN k.value ->> 'label' ELSE k.value ->> 'fact' END AS text,
       CAST(json_extract(k.value, '$.properties') AS VARCHAR) AS properties, t.key_at AS key_at
FROM keyed_live AS k
JOIN touched AS t ON t.dataset = k.dataset AND t.key_kind = k.key_kind AND t.k1 = k.k1 AND t.k2 = k.k2 AND t.k3 = k.k3
