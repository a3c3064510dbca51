-- Grain: one id that is spelled like the given one, or is of something called so. Input: graph.nodes_open. Parameters: $dataset, $id.
SELECT node_id, min(label) AS label FROM graph.nodes_open
WHERE dataset = $dataset AND (lower(label) = lower($id) OR damerau_levenshtein(node_id, $id) <= 2 OR contains(node_id, $id))
GROUP BY node_id ORDER BY max(CAST(lower(label) = lower($id) AS INTEGER)) DESC, max(jaro_winkler_similarity(node_id, $id)) DESC, node_id LIMIT 3
