-- Grain: a row that a load just brought and that is erased. Input: erased_rows.
DELETE FROM current_rows AS r USING erased_rows AS e WHERE e.table_name = r.table_name AND e.key = r.key;
