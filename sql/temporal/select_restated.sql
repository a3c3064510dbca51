-- Grain: one live statement that a batch makes again, word for word and without a time of observation, after something else was said of
-- its subject and relation: it is observed anew, so its old row ends and a new one begins. Input: normalised, graph.statements.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity'
), again AS (
    SELECT DISTINCT dataset, statement_id FROM normalised WHERE reason IS NULL AND observed_at IS NULL
), latest AS (
    SELECT dataset, kind, subject, predicate, facet, max(recorded_from) AS recorded_from FROM live
    GROUP BY dataset, kind, subject, predicate, facet
)
SELECT l.* FROM live AS l
JOIN again AS a ON a.dataset = l.dataset AND a.statement_id = l.statement_id
JOIN latest AS t ON t.dataset = l.dataset AND t.kind = l.kind AND t.subject = l.subject AND t.predicate = l.predicate AND t.facet = l.facet
WHERE t.recorded_from > l.recorded_from
