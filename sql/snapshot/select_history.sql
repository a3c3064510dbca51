-- Grain: one row per version of a node (its facets) or an edge, as graph.history_of gives them, with the text that search
-- shows for a version. Inputs: graph.history_of, graph.units. Parameter: $id.
SELECT h.dataset, h.kind, h.id, h.predicate, h.object, coalesce(u.text, h.text) AS text, h.properties,
       graph.iso(h.valid_from) AS valid_from, graph.iso(h.valid_to) AS valid_to,
       graph.iso(h.recorded_from) AS recorded_from, graph.iso(h.recorded_to) AS recorded_to
FROM graph.history_of($id) AS h
LEFT JOIN graph.units AS u
  ON u.dataset = h.dataset AND u.kind = 'fact' AND u.id = h.id AND u.content_hash = h.content_hash
 AND u.valid_from = h.valid_from AND u.recorded_from = h.recorded_from
ORDER BY h.kind DESC, h.recorded_from, h.valid_from, h.id, h.object, h.content_hash;
