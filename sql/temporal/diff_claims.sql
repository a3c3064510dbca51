-- Grain: one claim of {these} that {those} does not hold.
SELECT a.* FROM {these} AS a
LEFT JOIN {those} AS b ON b.statement_id = a.statement_id AND b.row_id = a.row_id AND b.facet = a.facet AND b.value_hash = a.value_hash
    AND b.valid_from = a.valid_from AND b.valid_to = a.valid_to AND b.dataset = a.dataset
WHERE b.statement_id IS NULL
