-- Grain: the watermark of a stage.
INSERT INTO graph.watermarks SELECT $dataset, $stage, '', $fingerprint;
