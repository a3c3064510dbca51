-- Grain: one row: hash of the ontology as the warehouse holds it, NULL if it holds none.
-- Inputs: graph.ontology_properties, ontology_implications, ontology_classes.
SELECT sha256(string_agg(o.content, '' ORDER BY o.content)) AS hash FROM (
    SELECT CAST(to_json([p.predicate, p.label, CAST(p.single_valued AS VARCHAR)]) AS VARCHAR) AS content FROM graph.ontology_properties AS p
    UNION ALL SELECT CAST(to_json([i.predicate, i.implied, CAST(i.swapped AS VARCHAR)]) AS VARCHAR) FROM graph.ontology_implications AS i
    UNION ALL SELECT CAST(to_json([c.class, c.ancestor, c.label]) AS VARCHAR) FROM graph.ontology_classes AS c
) AS o;
