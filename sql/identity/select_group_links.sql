-- Grain: one pair of refs to be held for one thing, with the nodes they stand for now. Input: link_pairs, ambiguous_aliases, mapping.
WITH ambiguous AS (
    SELECT DISTINCT dataset, alias FROM ambiguous_aliases
), split AS (  -- what a user told apart is not joined by a key
    SELECT dataset, ref FROM mapping WHERE method = 'manual' AND ref = node_id
), usable AS (
    SELECT p.* FROM link_pairs AS p
    LEFT JOIN ambiguous AS a ON a.dataset = p.dataset AND a.alias = p.alias
    LEFT JOIN split AS s ON s.dataset = p.dataset AND s.ref = p.ref
    LEFT JOIN split AS t ON t.dataset = p.dataset AND t.ref = p.alias
    WHERE a.alias IS NULL AND s.ref IS NULL AND t.ref IS NULL
)
SELECT u.dataset AS dataset, u.ref AS ref, u.ref_key AS ref_key, u.alias AS alias, u.alias_key AS alias_key,
       coalesce(m.node_id, u.ref) AS ref_node, coalesce(n.node_id, u.alias) AS alias_node,
       n.node_id IS NOT NULL AND coalesce(m.node_id, u.ref) = n.node_id AS settled
FROM usable AS u
LEFT JOIN mapping AS m ON m.dataset = u.dataset AND m.ref = u.ref
LEFT JOIN mapping AS n ON n.dataset = u.dataset AND n.ref = u.alias
