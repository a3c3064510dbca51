-- Grain: one remaining statement about a ref that stood for the erased entity for a time. Inputs: graph.statements, erased_refs,
-- erased_identities. Parameter: $dataset.
WITH moved AS (
    SELECT DISTINCT i.ref FROM erased_identities AS i LEFT JOIN erased_refs AS r ON r.ref = i.ref WHERE r.ref IS NULL
), found AS (
    SELECT s.* FROM graph.statements AS s JOIN moved AS m ON m.ref = s.subject WHERE s.dataset = $dataset
    UNION
    SELECT s.* FROM graph.statements AS s JOIN moved AS m ON m.ref = s.object WHERE s.dataset = $dataset
)
SELECT f.* FROM found AS f
LEFT JOIN erased_refs AS a ON a.ref = f.subject
LEFT JOIN erased_refs AS b ON b.ref = f.object
WHERE a.ref IS NULL AND b.ref IS NULL
