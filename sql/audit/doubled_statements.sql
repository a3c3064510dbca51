-- Design rule 4: a statement is live once at a time, so a replay cannot double it; and it stands there once for each such time.
WITH in_order AS (
    SELECT dataset, statement_id, valid_from, recorded_from,
           max(recorded_to) OVER (PARTITION BY dataset, statement_id ORDER BY recorded_from, recorded_to
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_to
    FROM graph.statements
)
SELECT dataset, hex(statement_id) AS key, valid_from, recorded_from FROM in_order WHERE earlier_to > recorded_from
