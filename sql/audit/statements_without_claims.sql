-- Design section 3: a live statement that asserts claims one value of one row, once.
WITH live AS (
    SELECT dataset, statement_id, valid_from, recorded_from FROM graph.statements WHERE recorded_to = 'infinity' AND polarity = 'assert'
), claimed AS (
    SELECT dataset, statement_id, count(*) AS claims FROM graph.claims WHERE recorded_to = 'infinity' AND facet <> 'inferred'
    GROUP BY dataset, statement_id
)
SELECT l.dataset, hex(l.statement_id) AS key, l.valid_from, l.recorded_from FROM live AS l
LEFT JOIN claimed AS c ON c.dataset = l.dataset AND c.statement_id = l.statement_id
WHERE coalesce(c.claims, 0) <> 1
