-- Grain: forgets the communities' watermark of a dataset. Parameter: $dataset.
DELETE FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = 'communities';
