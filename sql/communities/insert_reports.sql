-- Grain: one row per newly written report. Input: wanted_reports. Parameters: $dataset, $instant.
INSERT INTO graph.community_reports BY NAME
SELECT $dataset AS dataset, w.community_id, w.level, w.title, w.summary, w.findings, w.coverage, 'extractive' AS method,
       w.input_hash, $instant::TIMESTAMPTZ AS recorded_from, 'infinity'::TIMESTAMPTZ AS recorded_to
FROM wanted_reports AS w ORDER BY w.level, w.community_id;
