-- Grain: one row of either of two step tables of the same shape.
SELECT * FROM {these} UNION ALL SELECT * FROM {those}
