-- Grain: one row per dataset, in the order that the codes of select_columns.sql follow. Input: graph.units.
SELECT DISTINCT u.dataset FROM graph.units AS u ORDER BY u.dataset;
