-- Grain: no rows. What the planner knows of each column.
ANALYZE;
