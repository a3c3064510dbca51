-- Grain: one row: how many foreign keys the warehouse has, by origin, how many of the used ones don't hold for all rows, and how many
-- wait for a person's yes.
SELECT count(*) FILTER (WHERE used AND origin = 'declared'), count(*) FILTER (WHERE used AND origin = 'nested'),
       count(*) FILTER (WHERE used AND origin = 'configured'), count(*) FILTER (WHERE used AND origin = 'inferred'),
       count(*) FILTER (WHERE used AND coverage < 1), count(*) FILTER (WHERE NOT used)
FROM graph.foreign_keys WHERE dataset = $dataset;
