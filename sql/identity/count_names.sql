-- Grain: one row: whether this batch can match a name: it says or withdraws something of a node, and text speaks of some thing.
-- Input: named_arrivals, withdrawn, graph.statements.
SELECT (SELECT count(*) FROM named_arrivals) + (SELECT count(*) FROM withdrawn WHERE kind = 'node') AS nodes,
       (SELECT count(*) FROM graph.statements WHERE kind = 'node' AND facet = 'text' AND recorded_to = 'infinity')
           + (SELECT count(*) FROM named_arrivals WHERE facet = 'text') AS text_refs
