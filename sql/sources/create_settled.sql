-- Grain: an edge that several foreign keys of a row may say, because they have one predicate. It is said once, and ends when
-- the last of them lets go of it. Input: edges.
CREATE OR REPLACE TEMP TABLE settled AS
WITH counted AS (
    SELECT *, sum(CASE polarity WHEN 'assert' THEN 1 ELSE -1 END)
              OVER (PARTITION BY subject, predicate, object ORDER BY valid_from, sequence) AS holding
    FROM edges WHERE table_name = $table AND list_contains(CAST($predicates AS VARCHAR[]), predicate)
)
SELECT min(place) AS place, min(number) AS number, * EXCLUDE (place, number, holding) FROM counted
WHERE polarity = 'assert' OR mode = 'period' OR holding = 0 GROUP BY ALL;
