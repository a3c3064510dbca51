-- Grain: one disputed stretch with the identity of its conflict. Input: disputes, touched.
SELECT t.dataset AS dataset, t.kind AS kind, t.k1 AS subject, t.k2 AS predicate, t.k3 AS object, d.standing AS standing, d.loser AS loser,
       d.rule AS rule, d.reason AS reason, d.valid_from AS valid_from, d.valid_to AS valid_to, t.key_at AS key_at,
       unhex(md5(CAST(to_json([t.dataset, t.kind, t.k1, t.k2, t.k3, hex(d.standing), hex(d.loser), d.rule, d.reason]) AS VARCHAR)))
           AS conflict_id
FROM disputes AS d JOIN touched AS t ON t.key = d.key
