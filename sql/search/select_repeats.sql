-- Grain: one row per inferred unit and asserted unit that say the same. Input: graph.repeats.
SELECT r.repeating, r.repeated FROM graph.repeats AS r ORDER BY r.repeating, r.repeated;
