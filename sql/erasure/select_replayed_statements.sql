-- Grain: one remaining row of the log that may speak of a key to be derived again, and was recorded or withdrawn since $first.
-- Inputs: graph.statements, graph.identities, whole_keys. Runs after the erased rows are gone.
WITH subjects AS (
    SELECT k1 AS ref FROM whole_keys UNION SELECT i.ref FROM graph.identities AS i JOIN whole_keys AS k ON k.k1 = i.node_id WHERE i.dataset = $dataset
)
SELECT s.* FROM graph.statements AS s JOIN subjects AS j ON j.ref = s.subject
WHERE s.dataset = $dataset AND (s.recorded_from >= CAST($first AS TIMESTAMPTZ)
                                OR (s.recorded_to >= CAST($first AS TIMESTAMPTZ) AND s.recorded_to < 'infinity'))
