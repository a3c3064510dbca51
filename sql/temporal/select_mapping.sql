-- Grain: one ref that is not its own node, or was told to be by a user, now. Input: graph.identities.
SELECT dataset, ref, node_id, method, score, recorded_from FROM graph.identities WHERE recorded_to = 'infinity'
