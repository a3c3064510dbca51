-- Grain: a setting of the connection. A join keeps the order of its left side at any number of threads; sides are not swapped for it.
SET disabled_optimizers = 'build_side_probe_side';
