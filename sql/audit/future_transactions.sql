-- Design rule 5: nothing was recorded after the last commit.
WITH last AS (
    SELECT max(recorded_at) AS instant FROM graph.runs
)
SELECT n.dataset, n.node_id AS key, n.valid_from, n.recorded_from FROM graph.nodes AS n JOIN last ON n.recorded_from > last.instant
UNION ALL
SELECT e.dataset, e.edge_id, e.valid_from, e.recorded_from FROM graph.edges AS e JOIN last ON e.recorded_from > last.instant
