-- Grain: a row of the row log whose record is erased, in every version. Input: erased_rows.
DELETE FROM stratagraph.rows AS r USING erased_rows AS e
WHERE e.source = r.source AND e.table_name = r.table_name AND e.key = r.key;
