-- Grain: a batch that was committed, in the order of the commits (a recorded time may lie before the time of an earlier commit).
-- A commit of a recorded source may stand there twice, the second time with # and the part that the store's clock dated.
SELECT source, batch_id FROM graph.runs WHERE dataset = $dataset AND NOT contains(batch_id, '#') ORDER BY rowid;
