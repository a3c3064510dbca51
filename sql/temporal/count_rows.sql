-- Grain: one row of counts of what a commit opened and closed. Input: rows_opened, rows_closed, touched.
SELECT (SELECT count(*) FROM rows_opened WHERE kind = 'node') AS nodes_opened,
       (SELECT count(*) FROM rows_closed WHERE kind = 'node') AS nodes_closed,
       (SELECT count(*) FROM rows_opened WHERE kind = 'edge') AS edges_opened,
       (SELECT count(*) FROM rows_closed WHERE kind = 'edge') AS edges_closed,
       (SELECT count(*) FROM touched) AS keys_touched,
       (SELECT count(*) FROM touched WHERE met) AS keys_met
