-- Grain: one row per node in order of its number: a number for its class. Input: current_nodes.
SELECT dense_rank() OVER (ORDER BY n.class) - 1 AS class FROM current_nodes AS n ORDER BY n.vertex;
