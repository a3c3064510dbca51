-- Grain: one row: how many conflicts of statements are open.
SELECT count(*) AS number FROM graph.conflicts WHERE recorded_to = 'infinity' AND kind <> 'identity'
