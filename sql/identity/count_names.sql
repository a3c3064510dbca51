-- Grain: one row: whether this batch can match a name: it says or withdraws something of a node, and text speaks of some thing.
-- Input: arrivals, normalised, withdrawn, graph.statements.
WITH arrived AS (
    SELECT n.facet FROM arrivals AS a JOIN normalised AS n ON n.number = a.number WHERE n.kind = 'node'
)
SELECT (SELECT count(*) FROM arrived) + (SELECT count(*) FROM withdrawn WHERE kind = 'node') AS nodes,
       (SELECT count(*) FROM graph.statements WHERE kind = 'node' AND facet = 'text' AND recorded_to = 'infinity')
           + (SELECT count(*) FROM arrived WHERE facet = 'text') AS text_refs
