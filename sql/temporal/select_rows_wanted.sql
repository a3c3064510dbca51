-- Grain: one segment as a row of nodes or edges, with its identity. Input: segments, current_rows, touched.
-- `kept` says that it is believed already; only a row that is opened needs its hashes computed.
SELECT g.key AS key, g.number AS number, g.valid_from AS valid_from, g.valid_to AS valid_to, g.value_hash AS value_hash,
       g.object AS object, g.confidence AS confidence, t.dataset AS dataset, t.key_kind AS kind, t.k1 AS subject, t.k2 AS predicate,
       t.key_at AS key_at, c.key IS NOT NULL AS kept,
       CASE WHEN c.key IS NOT NULL THEN c.row_id
            WHEN t.key_kind = 'node' THEN t.k1
            ELSE 'urn:stratagraph:edge:' || md5(CAST(to_json([t.dataset, t.k1, t.k2, g.object]) AS VARCHAR)) END AS row_id,
       CASE WHEN c.key IS NOT NULL THEN c.content_hash
            ELSE unhex(md5(CAST(to_json([t.dataset, t.key_kind, t.k1, t.k2, g.object, hex(g.value_hash),
                                         coalesce(CAST(epoch_us(g.valid_from) AS VARCHAR), CAST(g.valid_from AS VARCHAR)),
                                         coalesce(CAST(epoch_us(g.valid_to) AS VARCHAR), CAST(g.valid_to AS VARCHAR))]) AS VARCHAR)))
       END AS content_hash
FROM segments AS g
JOIN touched AS t ON t.key = g.key
LEFT JOIN current_rows AS c ON c.key = g.key AND c.valid_from = g.valid_from AND c.valid_to = g.valid_to
    AND c.value_hash = g.value_hash AND c.object = coalesce(g.object, '')
