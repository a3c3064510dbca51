-- Grain: one new statement of the batch. Input: normalised, known, withdrawn. What is live already, or said twice in the batch, is left out.
WITH valid AS (
    SELECT number, dataset, statement_id, confidence, extractor FROM normalised
    WHERE reason IS NULL AND (valid_to IS NULL OR valid_from < valid_to) AND valid_from < 'infinity'
), repeated AS (
    SELECT dataset, statement_id FROM valid GROUP BY dataset, statement_id HAVING count(*) > 1
), copies AS (
    SELECT v.number, row_number() OVER (PARTITION BY v.dataset, v.statement_id ORDER BY v.confidence DESC, v.extractor, v.number) AS copy
    FROM valid AS v JOIN repeated AS r ON r.dataset = v.dataset AND r.statement_id = v.statement_id
), passed_over AS (
    SELECT number FROM copies WHERE copy > 1
    UNION ALL
    SELECT k.number FROM known AS k
    JOIN normalised AS n ON n.number = k.number
    LEFT JOIN withdrawn AS w ON w.dataset = n.dataset AND w.statement_id = n.statement_id
    WHERE w.statement_id IS NULL
)
SELECT v.number AS number FROM valid AS v LEFT JOIN passed_over AS p ON p.number = v.number WHERE p.number IS NULL
