-- Grain: one value of a single-valued relation of a node at the present moment. Inputs: graph.edges_open, single_valued.
-- Parameters: $dataset, $now.
SELECT DISTINCT e.subject AS record, '>' || e.predicate AS field, e.object AS value FROM graph.edges_open AS e
JOIN single_valued AS s ON s.predicate = e.predicate
WHERE e.dataset = $dataset AND e.valid_from <= CAST($now AS TIMESTAMPTZ) AND CAST($now AS TIMESTAMPTZ) < e.valid_to
