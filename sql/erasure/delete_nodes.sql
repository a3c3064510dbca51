-- Grain: one believed row of {table} (nodes_open or nodes_closed) of the erased entity. Input: erased_refs.
DELETE FROM graph.{table} AS n USING erased_refs AS r WHERE n.dataset = $dataset AND n.node_id = r.ref
