-- Grain: none: while the log is replayed, no rule of the ontology changes.
SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications WHERE FALSE
