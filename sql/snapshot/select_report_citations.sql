-- Grain: one row per edge that a wanted community report cites. Inputs: graph.units, graph.community_reports.
SELECT DISTINCT u.ordinal, unnest(from_json(f.finding ->> '$.edge_ids', '["VARCHAR"]')) AS edge_id
FROM graph.units AS u
JOIN (SELECT unnest(string_split($ordinals, ',')::BIGINT[]) AS ordinal) AS w ON w.ordinal = u.ordinal
JOIN graph.community_reports AS r
  ON r.dataset = u.dataset AND r.community_id = u.id AND r.recorded_from = u.recorded_from
CROSS JOIN LATERAL (SELECT unnest(from_json(r.findings, '["JSON"]')) AS finding) AS f
WHERE u.kind = 'community' ORDER BY u.ordinal, edge_id;
