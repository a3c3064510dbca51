-- Grain: one touched key whose log matters though all of it was observed before: the next known event bounds a new one, and a hot key is
-- derived whole. Input: touched.
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to FROM touched WHERE by_event OR hot
