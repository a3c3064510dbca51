-- Grain: one remaining row of identities that began or ended since $first, of a ref that what is said of a key to be derived again
-- names. Inputs: graph.identities, graph.statements, whole_keys. Runs after the erased rows are gone.
WITH subjects AS (
    SELECT k1 AS ref FROM whole_keys UNION SELECT i.ref FROM graph.identities AS i JOIN whole_keys AS k ON k.k1 = i.node_id WHERE i.dataset = $dataset
), refs AS (
    SELECT ref FROM subjects
    UNION SELECT s.object FROM graph.statements AS s JOIN subjects AS j ON j.ref = s.subject WHERE s.dataset = $dataset
)
SELECT i.* FROM graph.identities AS i JOIN refs AS r ON r.ref = i.ref
WHERE i.dataset = $dataset AND (i.recorded_from >= CAST($first AS TIMESTAMPTZ)
                                OR (i.recorded_to >= CAST($first AS TIMESTAMPTZ) AND i.recorded_to < 'infinity'))
