-- Grain: one live statement that a batch makes again, word for word and without a time of observation, after something else was said of
-- its subject and relation: it is observed anew, so its old row ends and a new one begins. Input: normalised, known, graph.statements.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity'
), newest AS (
    SELECT max(recorded_from) AS recorded_from FROM live
), again AS (
    SELECT n.dataset, n.statement_id, n.kind, n.subject, n.predicate, n.facet, k.recorded_from
    FROM known AS k JOIN normalised AS n ON n.number = k.number CROSS JOIN newest AS w
    WHERE n.observed_at IS NULL AND k.recorded_from < w.recorded_from
), followed AS (
    SELECT DISTINCT a.dataset AS dataset, a.statement_id AS statement_id
    FROM live AS l
    JOIN again AS a ON a.dataset = l.dataset AND a.kind = l.kind AND a.subject = l.subject AND a.predicate = l.predicate AND a.facet = l.facet
        AND l.recorded_from > a.recorded_from
)
SELECT l.* FROM live AS l JOIN followed AS f ON f.dataset = l.dataset AND f.statement_id = l.statement_id
