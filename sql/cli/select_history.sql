-- Grain: one row per version of a node (its facets) and its edges, or of an edge, as graph.history_of gives them in the
-- warehouse, which has no texts made for search. Parameter: $id.
SELECT h.dataset, h.kind, h.id, h.subject, h.predicate, h.object, h.text, h.properties,
       graph.iso(h.valid_from) AS valid_from, graph.iso(h.valid_to) AS valid_to,
       graph.iso(h.recorded_from) AS recorded_from, graph.iso(h.recorded_to) AS recorded_to
FROM graph.history_of($id) AS h
ORDER BY h.kind DESC, h.recorded_from, h.valid_from, h.id, h.object, h.content_hash
