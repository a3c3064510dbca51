-- Where did Elena Novak of the press notes work on 2016-01-01, and from when to when?
SELECT DISTINCT e.fact, e.valid_from, e.valid_to
FROM edges_as_of('2016-01-01', now()) AS e
JOIN nodes_as_of('2016-01-01', now()) AS n ON n.dataset = e.dataset AND n.node_id = e.subject
WHERE n.label = 'Elena Novak' AND e.predicate LIKE '%#worksFor';
