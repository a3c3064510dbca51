-- Grain: one row: how many stretches of how many edges lack an end, and the first few in words. Input: uncovered.
WITH worded AS (
    SELECT dataset, edge_id, subject || ' ' || predicate || ' ' || object || ': ' || node_id || ' is not believed on ['
           || graph.iso(valid_from) || ', ' || graph.iso(valid_to) || ')' AS words FROM uncovered
)
SELECT (SELECT count(*) FROM worded) AS stretches,
       (SELECT count(*) FROM (SELECT DISTINCT dataset, edge_id FROM worded) AS edges) AS edges,
       (SELECT list(words ORDER BY words)[:3] FROM worded) AS sample
