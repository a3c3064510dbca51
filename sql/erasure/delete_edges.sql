-- Grain: one believed row of {table} (edges_open or edges_closed), asserted or inferred, from or to the erased entity.
-- Input: erased_refs.
DELETE FROM graph.{table} AS e WHERE e.dataset = $dataset
   AND (EXISTS (SELECT 1 FROM erased_refs AS r WHERE r.ref = e.subject) OR EXISTS (SELECT 1 FROM erased_refs AS r WHERE r.ref = e.object))
