-- Grain: one inferred row that stays, with another confidence: that of its premises now. Input: inferred.
UPDATE graph.edges_open AS e SET confidence = g.confidence FROM inferred AS g
WHERE g.content_hash = e.content_hash AND g.dataset = e.dataset AND g.confidence <> e.confidence
