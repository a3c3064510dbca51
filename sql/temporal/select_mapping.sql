-- Grain: one ref that is not its own node, now. Input: graph.identities.
SELECT dataset, ref, node_id, recorded_from FROM graph.identities WHERE recorded_to = 'infinity'
