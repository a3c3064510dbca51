-- Grain: one row: how many rows were refused because a part of their primary key is NULL. Rows that are alike count as one.
SELECT count(*) FROM graph.quarantine WHERE reason = 'null_key';
