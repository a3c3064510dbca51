-- Grain: one segment that is believed from now on, as a row of nodes or edges. Its value is that of the statement that won (number), or
-- of the row of which a piece is left (remnant). Input: segments, kept, touched, keyed_arrivals, log, current_rows.
WITH fresh AS (
    SELECT s.* FROM segments AS s LEFT JOIN kept AS k ON k.key = s.key AND k.valid_from = s.valid_from WHERE k.key IS NULL
), identified AS (
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, f.number, f.remnant, a.row_id, a.object, a.value_hash
    FROM fresh AS f JOIN keyed_arrivals AS a ON a.number = f.number
    UNION ALL
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, f.number, f.remnant, l.row_id, l.object, l.value_hash
    FROM fresh AS f JOIN log AS l ON l.number = f.number
    UNION ALL
    SELECT f.key, f.valid_from, f.valid_to, f.confidence, f.number, f.remnant, c.row_id, c.object, c.value_hash
    FROM fresh AS f JOIN current_rows AS c ON c.number = f.remnant
)
SELECT i.number AS number, i.remnant AS remnant, t.kind AS kind, t.dataset AS dataset, i.row_id AS row_id, t.k1 AS subject,
       t.k2 AS predicate, i.object AS object, i.valid_from AS valid_from, i.valid_to AS valid_to, t.key_at AS key_at,
       i.confidence AS confidence, i.value_hash AS value_hash,
       -- begins with the hash of its node, so that zone maps find the rows of a node once they are sorted by it
       unhex(left(md5(t.k1), 16) || left(md5(CAST(to_json([t.dataset, t.kind, t.k1, t.k2, i.object, hex(i.value_hash),
                               coalesce(CAST(epoch_us(i.valid_from) AS VARCHAR), 'begin'),
                               coalesce(CAST(epoch_us(i.valid_to) AS VARCHAR), 'end')]) AS VARCHAR)), 16)) AS content_hash
FROM identified AS i JOIN touched AS t ON t.key = i.key
