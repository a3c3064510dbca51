-- Grain: one row per kind of unit: the text of one that its index must find. Facts with an end that is no node are never found.
-- Input: graph.units.
SELECT u.kind, min_by(u.text, u.ordinal) AS text FROM graph.units AS u
WHERE u.kind <> 'fact' OR (
    u.subject_code IN (SELECT n.subject_code FROM graph.units AS n WHERE n.kind = 'node')
    AND u.object_code IN (SELECT n.subject_code FROM graph.units AS n WHERE n.kind = 'node')
)
GROUP BY u.kind ORDER BY u.kind;
