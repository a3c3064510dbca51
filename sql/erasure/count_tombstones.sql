-- Grain: one row: how many tombstones a dataset has, 0 for nearly every store. Parameter: $dataset.
SELECT count(*) AS tombstones FROM graph.tombstones WHERE dataset = $dataset
