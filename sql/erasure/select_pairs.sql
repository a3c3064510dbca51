-- Grain: two nodes between which a key to be derived again has a relation that implies or excludes another, or is implied.
-- Inputs: erased_relations, graph.ontology_implications, graph.ontology_exclusions and the applied ones.
WITH implications AS (
    SELECT predicate, implied FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied FROM graph.applied_implications WHERE dataset = $dataset
), concerned AS (
    SELECT predicate FROM implications UNION SELECT implied FROM implications
    UNION SELECT predicate FROM graph.ontology_exclusions WHERE dataset = $dataset
    UNION SELECT predicate FROM graph.applied_exclusions WHERE dataset = $dataset
)
SELECT DISTINCT least(r.subject, r.object) AS a, greatest(r.subject, r.object) AS b FROM erased_relations AS r
JOIN concerned AS c ON c.predicate = r.predicate
