-- Grain: a row of {table}, dlt's, of an erased record; {cells}: its primary key as text. Input: erased_rows.
DELETE FROM {table} AS l USING erased_rows AS e
WHERE e.source = $source AND e.table_name = $name AND e.parts = [{cells}];
