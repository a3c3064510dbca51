-- Grain: one edge row that was copied to edges_closed. Input: {closed}.
DELETE FROM graph.edges_open AS e USING {closed} AS c
WHERE c.kind = 'edge' AND c.content_hash = e.content_hash AND c.dataset = e.dataset
