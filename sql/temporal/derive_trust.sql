-- Grain: one piece left of a row that begins later than the row did, with the confidence of the statement that wins its first instant: of
-- those that claim its value there, the one that rule 3 prefers. No window reaches there, so the claims are as they were before.
-- Input: pieces, current_rows, graph.claims, graph.statements.
WITH recut AS (
    SELECT p.remnant, p.valid_from, c.dataset, c.row_id, CASE c.kind WHEN 'node' THEN c.predicate ELSE '' END AS facet, c.value_hash
    FROM pieces AS p JOIN current_rows AS c ON c.number = p.remnant AND p.valid_from > c.valid_from
), claimed AS (
    SELECT dataset, row_id, facet, value_hash, statement_id, valid_from, valid_to FROM graph.claims WHERE recorded_to = 'infinity'
), said AS (
    SELECT dataset, statement_id, mode, coalesce(observed_at, recorded_from) AS observed, sequence, confidence
    FROM graph.statements WHERE recorded_to = 'infinity'
), ranked AS (
    SELECT r.remnant, r.valid_from, s.confidence,
           row_number() OVER (PARTITION BY r.remnant, r.valid_from
               ORDER BY s.observed DESC, s.mode DESC, s.sequence DESC, s.statement_id DESC) AS place
    FROM recut AS r
    JOIN claimed AS c ON c.dataset = r.dataset AND c.row_id = r.row_id AND c.facet = r.facet AND c.value_hash = r.value_hash
        AND c.valid_from <= r.valid_from AND r.valid_from < c.valid_to
    JOIN said AS s ON s.dataset = c.dataset AND s.statement_id = c.statement_id
)
SELECT remnant, valid_from, confidence FROM ranked WHERE place = 1
