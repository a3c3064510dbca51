-- Grain: one relation whose edges may follow from a composition: its result (head), or what that implies; now, or when belief last applied the
-- rules. Relations that only stand for the rest of a chain are left out.
WITH heads AS (
    SELECT implied AS head FROM graph.ontology_compositions WHERE dataset = $dataset
    UNION SELECT implied FROM graph.applied_compositions WHERE dataset = $dataset
), implications AS (
    SELECT predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied, swapped FROM graph.applied_implications WHERE dataset = $dataset
), found AS (
    SELECT head, head AS predicate, FALSE AS swapped FROM heads
    UNION SELECT h.head, i.implied, i.swapped FROM heads AS h JOIN implications AS i ON i.predicate = h.head
)
SELECT head, predicate, swapped FROM found WHERE NOT starts_with(predicate, 'urn:stratagraph:chain:')
