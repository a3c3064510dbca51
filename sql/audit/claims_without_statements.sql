-- Design section 3: a claim is made by a statement that asserts, and not for longer than the statement is live; what is inferred may end
-- later, since the store's clock may date it. A statement that is said again is withdrawn and made in one moment: its claims go on.
WITH made AS (
    SELECT dataset, statement_id, recorded_from, recorded_to,
           lag(recorded_to) OVER (PARTITION BY dataset, statement_id ORDER BY recorded_from, recorded_to) AS earlier_to
    FROM graph.statements WHERE polarity = 'assert'
), numbered AS (
    SELECT *, count(CASE WHEN earlier_to = recorded_from THEN NULL ELSE 1 END) OVER (
        PARTITION BY dataset, statement_id ORDER BY recorded_from, recorded_to ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
    FROM made
), runs AS (
    SELECT dataset, statement_id, min(recorded_from) AS live_from, max(recorded_to) AS live_to
    FROM numbered GROUP BY dataset, statement_id, run
), claimed AS (
    SELECT dataset, row_id, statement_id, valid_from, recorded_from,
           CASE WHEN facet = 'inferred' AND recorded_to < 'infinity' THEN recorded_from ELSE recorded_to END AS upheld_to
    FROM graph.claims
)
SELECT c.dataset, c.row_id || ' ' || hex(c.statement_id) AS key, c.valid_from, c.recorded_from FROM claimed AS c
LEFT JOIN runs AS s ON s.dataset = c.dataset AND s.statement_id = c.statement_id
 AND s.live_from <= c.recorded_from AND c.recorded_from < s.live_to AND c.upheld_to <= s.live_to
WHERE s.statement_id IS NULL
