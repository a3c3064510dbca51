-- Grain: the load of a source, from now on under way: a crash before its end makes the next run load again.
UPDATE stratagraph.loads SET input_fingerprint = NULL WHERE source = $source;
