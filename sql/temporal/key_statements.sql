-- Grain: one statement with the key it speaks of. Input: {statements}, {mapping} (ref -> node), rules.
-- Keys (design section 4, rule 1): a node's facet; a single-valued relation of a subject; a relation between two nodes.
SELECT s.*, s.kind AS key_kind, coalesce(m.node_id, s.subject) AS k1, CASE s.kind WHEN 'node' THEN s.facet ELSE s.predicate END AS k2,
       CASE WHEN s.kind = 'node' OR coalesce(r.single_valued, FALSE) THEN '' ELSE coalesce(n.node_id, s.object) END AS k3,
       CASE s.kind WHEN 'edge' THEN coalesce(n.node_id, s.object) END AS object_node
FROM {statements} AS s
LEFT JOIN {mapping} AS m ON m.dataset = s.dataset AND m.ref = s.subject
LEFT JOIN {mapping} AS n ON n.dataset = s.dataset AND n.ref = s.object
LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
