-- Grain: one touched key. Input: touched.
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to FROM touched
