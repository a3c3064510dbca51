-- Grain: none: no touched key has anything in the log that matters.
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to FROM touched WHERE FALSE
