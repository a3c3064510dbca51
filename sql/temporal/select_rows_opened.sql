-- Grain: one segment that is believed from now on, as a row of nodes or edges with its value. A value comes from the statement that won, or
-- from the row of which a piece is left. Input: segments, kept, touched, normalised, keyed_arrivals, log, current_rows.
WITH fresh AS (
    SELECT s.* FROM segments AS s LEFT JOIN kept AS k ON k.key = s.key AND k.valid_from = s.valid_from WHERE k.key IS NULL
), valued AS (
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, a.row_id, a.object, n.predicate AS class, n.value_hash,
           CASE a.kind WHEN 'node' THEN n.value ->> 'label' ELSE n.value ->> 'fact' END AS text,
           CAST(json_extract(n.value, '$.properties') AS VARCHAR) AS properties
    FROM fresh AS f
    JOIN keyed_arrivals AS a ON a.number = f.number
    JOIN normalised AS n ON n.number = f.number
    UNION ALL
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, l.row_id, l.object, l.class, l.value_hash,
           CASE WHEN l.object IS NULL THEN l.value ->> 'label' ELSE l.value ->> 'fact' END,
           CAST(json_extract(l.value, '$.properties') AS VARCHAR)
    FROM fresh AS f JOIN log AS l ON l.number = f.number
    UNION ALL
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, c.row_id, c.object, c.class, c.value_hash, c.text, c.properties
    FROM fresh AS f JOIN current_rows AS c ON c.number = f.remnant
)
SELECT t.kind AS kind, t.dataset AS dataset, v.row_id AS row_id, t.k1 AS subject, t.k2 AS predicate, v.object AS object,
       CASE t.kind WHEN 'node' THEN v.class END AS class, v.text AS text, v.properties AS properties, v.valid_from AS valid_from,
       v.valid_to AS valid_to, t.key_at AS key_at, v.confidence AS confidence, v.value_hash AS value_hash,
       unhex(md5(CAST(to_json([t.dataset, t.kind, t.k1, t.k2, v.object, hex(v.value_hash),
                               coalesce(CAST(epoch_us(v.valid_from) AS VARCHAR), 'begin'),
                               coalesce(CAST(epoch_us(v.valid_to) AS VARCHAR), 'end')]) AS VARCHAR))) AS content_hash
FROM valued AS v JOIN touched AS t ON t.key = v.key
