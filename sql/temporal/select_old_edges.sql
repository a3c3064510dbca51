-- Grain: one relation that was composed, or implied, before. Input: graph.edges_open, composed.
WITH concerned AS (
    SELECT DISTINCT predicate FROM composed
)
SELECT DISTINCT e.subject AS subject, e.predicate AS predicate, e.object AS object
FROM graph.edges_open AS e JOIN concerned AS c ON c.predicate = e.predicate WHERE e.origin = 'inferred' AND e.dataset = $dataset
