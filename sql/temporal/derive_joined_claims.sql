-- Grain: one claim of claim_pieces, where those of one statement on one row that overlap or meet are one. Input: claim_pieces.
WITH reached AS (
    SELECT *, max(valid_to) OVER (PARTITION BY row_id, statement_id ORDER BY valid_from, valid_to
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
    FROM claim_pieces
), flagged AS (
    SELECT *, CASE WHEN reach >= valid_from THEN 0 ELSE 1 END AS begins FROM reached
), islands AS (
    SELECT *, sum(begins) OVER (PARTITION BY row_id, statement_id ORDER BY valid_from, valid_to
                                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS island
    FROM flagged
)
SELECT dataset, kind, row_id, facet, value_hash, statement_id, min(valid_from) AS valid_from, max(valid_to) AS valid_to, key_at
FROM islands GROUP BY dataset, kind, row_id, facet, value_hash, statement_id, key_at, island
