-- Grain: one touched key that an event changes: the next known event bounds it. Input: touched.
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to FROM touched WHERE by_event
