-- Grain: one row: how many foreign keys the warehouse has, by origin, and how many don't hold for all rows.
SELECT count(*) FILTER (WHERE origin = 'declared'), count(*) FILTER (WHERE origin = 'nested'), count(*) FILTER (WHERE coverage < 1)
FROM graph.foreign_keys WHERE dataset = $dataset;
