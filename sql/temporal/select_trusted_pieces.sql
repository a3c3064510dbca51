-- Grain: one piece, with the confidence of its own first instant. Input: pieces, trust.
SELECT p.key AS key, p.valid_from AS valid_from, p.valid_to AS valid_to, p.value_key AS value_key,
       coalesce(t.confidence, p.confidence) AS confidence, p.number AS number, p.remnant AS remnant
FROM pieces AS p LEFT JOIN trust AS t ON t.remnant = p.remnant AND t.valid_from = p.valid_from
