-- Design rule 4: a statement is live once, so a replay cannot double it.
SELECT dataset, hex(statement_id) AS key, min(valid_from) AS valid_from, min(recorded_from) AS recorded_from
FROM graph.statements WHERE recorded_to = 'infinity' GROUP BY dataset, statement_id HAVING count(*) > 1
