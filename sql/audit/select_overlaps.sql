-- Grain: a row that overlaps another row of its key on both clocks. Input: rows, each with its key (dataset, part_a, part_b) and four times.
-- Rows of a key with few rows are compared with each other. A key with many would make that quadratic: there, transaction time
-- is cut into halves, quarters and so on, each row belongs to the largest pieces that it fills, and to all larger ones that it
-- touches. Two rows share a moment of transaction time if and only if they meet in a piece that one of them fills; within a
-- piece, what overlaps in valid time is seen in the order of its beginnings. That costs n log n.
WITH numbered AS MATERIALIZED (
    SELECT r.*, row_number() OVER () AS number FROM ({query}) AS r
    WHERE r.valid_from < r.valid_to AND r.recorded_from < r.recorded_to
), sizes AS MATERIALIZED (
    SELECT dataset, part_a, part_b, count(*) AS size FROM numbered GROUP BY dataset, part_a, part_b HAVING count(*) > 1
), few AS (
    SELECT n.* FROM numbered AS n
    JOIN sizes AS s ON s.dataset = n.dataset AND s.part_a = n.part_a AND s.part_b = n.part_b WHERE s.size <= 16
), many AS MATERIALIZED (
    SELECT n.* FROM numbered AS n
    JOIN sizes AS s ON s.dataset = n.dataset AND s.part_a = n.part_a AND s.part_b = n.part_b WHERE s.size > 16
), instants AS (
    SELECT dataset, part_a, part_b, recorded_from AS instant FROM many
    UNION SELECT dataset, part_a, part_b, recorded_to FROM many
), positions AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY dataset, part_a, part_b ORDER BY instant) - 1 AS position FROM instants
), spans AS (
    SELECT m.*, f.position AS first, t.position AS past, length(bin(max(t.position) OVER ())) AS levels
    FROM many AS m
    JOIN positions AS f ON f.dataset = m.dataset AND f.part_a = m.part_a AND f.part_b = m.part_b AND f.instant = m.recorded_from
    JOIN positions AS t ON t.dataset = m.dataset AND t.part_a = m.part_a AND t.part_b = m.part_b AND t.instant = m.recorded_to
), leveled AS (
    SELECT s.*, unnest(range(s.levels)) AS level FROM spans AS s
), touched AS (
    SELECT l.*, unnest(list_distinct([l.first >> l.level, (l.first >> l.level) + 1,
                                      (l.past - 1) >> l.level, ((l.past - 1) >> l.level) - 1])) AS piece
    FROM leveled AS l
), fitted AS (
    SELECT t.*, (t.piece << t.level) >= t.first AND ((t.piece + 1) << t.level) <= t.past AS fills,
           ((t.piece >> 1) << (t.level + 1)) >= t.first AND (((t.piece >> 1) + 1) << (t.level + 1)) <= t.past AS fills_larger
    FROM touched AS t
    WHERE t.piece >= 0 AND (t.piece << t.level) < t.past AND ((t.piece + 1) << t.level) > t.first
), swept AS (
    SELECT f.*, max(CASE WHEN f.fills THEN f.valid_to END) OVER earlier AS end_of_filling, max(f.valid_to) OVER earlier AS end_of_any
    FROM fitted AS f WHERE NOT f.fills_larger
    WINDOW earlier AS (
        PARTITION BY f.dataset, f.part_a, f.part_b, f.level, f.piece ORDER BY f.valid_from, f.number
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
), found AS (
    SELECT b.dataset, b.part_a, b.part_b, b.valid_from, b.recorded_from, b.number
    FROM few AS a JOIN few AS b ON b.dataset = a.dataset AND b.part_a = a.part_a AND b.part_b = a.part_b
     AND a.number < b.number AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to
     AND a.recorded_from < b.recorded_to AND b.recorded_from < a.recorded_to
    UNION
    SELECT dataset, part_a, part_b, valid_from, recorded_from, number FROM swept
    WHERE end_of_filling > valid_from OR (fills AND end_of_any > valid_from)
)
SELECT dataset, CASE WHEN part_b = '' THEN part_a ELSE part_a || ' ' || part_b END AS key, valid_from, recorded_from FROM found
