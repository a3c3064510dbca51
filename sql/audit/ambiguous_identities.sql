-- Design rule 12: a ref stands for one node at a time.
WITH in_order AS (
    SELECT dataset, ref, recorded_from,
           max(recorded_to) OVER (PARTITION BY dataset, ref ORDER BY recorded_from, recorded_to
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_to
    FROM graph.identities
)
SELECT dataset, ref AS key, NULL AS valid_from, recorded_from FROM in_order WHERE earlier_to > recorded_from
