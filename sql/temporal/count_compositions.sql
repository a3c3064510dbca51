-- Grain: one row: how many compositions a dataset's ontology has, or had when belief last applied it.
SELECT (SELECT count(*) FROM graph.ontology_compositions WHERE dataset = $dataset)
     + (SELECT count(*) FROM graph.applied_compositions WHERE dataset = $dataset) AS number
