-- Grain: one row: how many implications the ontology has, or had when belief last applied it.
SELECT (SELECT count(*) FROM graph.ontology_implications) + (SELECT count(*) FROM graph.applied_implications) AS number
