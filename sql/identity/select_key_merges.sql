-- Grain: one pair of nodes that a key of the ontology makes one: nothing that they say contradicts it.
-- Inputs: key_pairs, pair_contradictions.
SELECT k.a AS a, k.b AS b, 'key' AS method, CAST(1.0 AS DOUBLE) AS score, 'equal values of the key ' || k.key_name AS reason
FROM key_pairs AS k LEFT JOIN (SELECT DISTINCT a, b FROM pair_contradictions) AS c ON c.a = k.a AND c.b = k.b
WHERE c.a IS NULL
