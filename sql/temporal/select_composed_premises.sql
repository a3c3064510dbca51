-- Grain: one stretch on which an asserted edge begins the derivation of a relation, as select_premises gives it. Input: {edges}.
SELECT CAST($dataset AS VARCHAR) AS dataset, CASE WHEN swapped THEN target ELSE origin END AS subject, predicate,
       CASE WHEN swapped THEN origin ELSE target END AS object, CAST($store_now AS TIMESTAMPTZ) AS key_at, valid_from, valid_to, confidence,
       premise_id, premise_hash
FROM {edges}
