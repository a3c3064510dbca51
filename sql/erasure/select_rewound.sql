-- Grain: one row, believed or only claimed, of a key to be derived again, or inferred between two nodes of one. facet: of a node,
-- '' of an asserted edge, 'inferred'. Inputs: whole_keys, network, erased_relations, erased_pairs, graph.edges, graph.ontology_implications,
-- graph.applied_implications. An edge's id is a function of its ends, as in temporal/key_statements.sql.
WITH implications AS (
    SELECT predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied, swapped FROM graph.applied_implications WHERE dataset = $dataset
), inferred AS (
    SELECT CASE WHEN i.swapped THEN r.object ELSE r.subject END AS subject, i.implied AS predicate,
           CASE WHEN i.swapped THEN r.subject ELSE r.object END AS object
    FROM erased_relations AS r JOIN implications AS i ON i.predicate = r.predicate
    UNION
    SELECT e.subject, e.predicate, e.object FROM graph.edges AS e
    JOIN erased_pairs AS p ON p.a = least(e.subject, e.object) AND p.b = greatest(e.subject, e.object)
    WHERE e.dataset = $dataset AND e.origin = 'inferred'
    UNION
    SELECT e.subject, e.predicate, e.object FROM graph.edges AS e JOIN network AS n ON n.predicate = e.predicate
    WHERE e.dataset = $dataset AND e.origin = 'inferred'
    UNION
    SELECT r.subject, r.predicate, r.object FROM erased_relations AS r JOIN network AS n ON n.predicate = r.predicate
), edges AS (
    SELECT subject, predicate, object, '' AS facet FROM erased_relations UNION SELECT subject, predicate, object, 'inferred' FROM inferred
)
SELECT 'node' AS kind, k1 AS row_id, k2 AS facet FROM whole_keys WHERE kind = 'node'
UNION
SELECT 'edge', 'urn:stratagraph:edge:' || md5(CAST(to_json([$dataset, subject, predicate, object]) AS VARCHAR)), facet FROM edges
