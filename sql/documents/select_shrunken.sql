-- Grain: a source that lost more than $max_shrink of its documents at once. Input: landing.
SELECT o.source, count(*) AS known, count(*) FILTER (WHERE l.document_id IS NULL) AS vanished
FROM graph.documents AS o
LEFT JOIN landing AS l ON l.document_id = o.document_id
WHERE o.dataset = $dataset AND o.recorded_to = 'infinity'
GROUP BY o.source
HAVING count(*) FILTER (WHERE l.document_id IS NULL) > $max_shrink * count(*)
ORDER BY o.source
