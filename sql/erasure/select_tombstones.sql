-- Grain: one tombstone of a dataset. Parameter: $dataset.
SELECT kind, token FROM graph.tombstones WHERE dataset = $dataset
