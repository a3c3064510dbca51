-- Grain: one row: how much of what the source says now this batch would withdraw. Input: withdrawn, graph.statements.
SELECT (SELECT count(*) FROM withdrawn) AS withdrawn,
       (SELECT count(*) FROM graph.statements WHERE recorded_to = 'infinity' AND dataset = $dataset AND source = $source) AS live
