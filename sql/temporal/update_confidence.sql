-- Grain: one row that stays, with another confidence. Input: surer.
UPDATE graph.nodes_open AS n SET confidence = s.confidence FROM surer AS s
WHERE s.kind = 'node' AND s.content_hash = n.content_hash AND s.dataset = n.dataset;
UPDATE graph.edges_open AS e SET confidence = s.confidence FROM surer AS s
WHERE s.kind = 'edge' AND s.content_hash = e.content_hash AND s.dataset = e.dataset;
