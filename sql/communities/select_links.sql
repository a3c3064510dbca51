-- Grain: one row per linked pair of different nodes, with the number of edges between them, in order. Input: current_edges.
SELECT least(e.subject, e.object) AS a, greatest(e.subject, e.object) AS b, count(*)::DOUBLE AS weight
FROM current_edges AS e WHERE e.subject <> e.object
GROUP BY least(e.subject, e.object), greatest(e.subject, e.object) ORDER BY a, b;
