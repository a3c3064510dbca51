-- Grain: one ref that stands for another node from now on. Input: identity_changes.
INSERT INTO graph.identities (dataset, ref, node_id, method, score, reason, recorded_from, recorded_to)
SELECT dataset, ref, node_id, method, score, reason, changed_at, 'infinity' FROM identity_changes WHERE ref <> node_id OR method = 'manual'
