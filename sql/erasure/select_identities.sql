-- Grain: one row of identities that names the erased entity. Inputs: graph.identities, erased_refs. Parameter: $dataset.
WITH named AS (
    SELECT i.ref, i.recorded_from FROM graph.identities AS i JOIN erased_refs AS r ON r.ref = i.ref WHERE i.dataset = $dataset
    UNION
    SELECT i.ref, i.recorded_from FROM graph.identities AS i JOIN erased_refs AS r ON r.ref = i.node_id WHERE i.dataset = $dataset
)
SELECT i.* FROM graph.identities AS i JOIN named AS n ON n.ref = i.ref AND n.recorded_from = i.recorded_from WHERE i.dataset = $dataset
