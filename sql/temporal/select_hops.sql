-- Grain: one asserted open edge as a relation that takes part in compositions: its own, or one that it implies. Numbered: premise.
-- Input: graph.edges_open, images, compositions.
WITH bodies AS (
    SELECT first AS predicate FROM compositions UNION SELECT second FROM compositions
), asserted AS (
    SELECT * FROM graph.edges_open WHERE origin = 'asserted' AND dataset = $dataset
)
SELECT row_number() OVER () AS premise, i.implied AS predicate, CASE WHEN i.swapped THEN e.object ELSE e.subject END AS subject,
       CASE WHEN i.swapped THEN e.subject ELSE e.object END AS object, e.valid_from AS valid_from, e.valid_to AS valid_to,
       e.confidence AS confidence, e.edge_id AS premise_id, e.value_hash AS premise_hash
FROM asserted AS e
JOIN images AS i ON i.predicate = e.predicate
JOIN bodies AS b ON b.predicate = i.implied
