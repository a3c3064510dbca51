-- Grain: one row, what stands now. Inputs: graph.mentions, graph.quarantine, graph.chunks, $dataset.
SELECT (SELECT count(*) FROM graph.chunks AS c WHERE c.dataset = $dataset AND c.recorded_to = 'infinity') AS chunks,
       (SELECT count(*) FROM graph.mentions AS m WHERE m.dataset = $dataset AND m.recorded_to = 'infinity') AS mentions,
       (SELECT count(*) FROM graph.quarantine AS q WHERE q.dataset = $dataset AND q.stage = 'extraction') AS quarantined;
