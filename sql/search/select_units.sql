-- Grain: one row per unit, in order of ordinal. Input: the session's table units.
SELECT * FROM units AS u ORDER BY u.ordinal;
