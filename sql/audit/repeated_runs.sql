-- Design rule 5: transaction time increases with every commit: no two of the store's commits, and no two of one recorded source, have
-- one instant. A batch is committed once.
SELECT dataset, 'batch ' || batch_id AS key, NULL AS valid_from, min(recorded_at) AS recorded_from
FROM graph.runs GROUP BY dataset, batch_id HAVING count(*) > 1
UNION ALL
SELECT dataset, clock || ' ' || CASE clock WHEN 'store' THEN '' ELSE source || ' ' END || CAST(recorded_at AS VARCHAR), NULL, recorded_at
FROM graph.runs GROUP BY dataset, clock, CASE clock WHEN 'store' THEN '' ELSE source || ' ' END, recorded_at HAVING count(*) > 1
