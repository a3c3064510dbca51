-- Grain: an item of a list that is nested in a row, told apart by the parent's key and its place in the list. Inputs: {table}, dlt's;
-- {content}, JSON of its fields; current_rows with the parents.
INSERT INTO current_rows
WITH encoded AS (
    SELECT {content} AS content, _dlt_parent_id, _dlt_list_idx, _dlt_id FROM {table}
)
SELECT $name, left(p.key, length(p.key) - 1) || ',' || e._dlt_list_idx || ']', e.content, e._dlt_id, 0
FROM encoded AS e JOIN current_rows AS p ON p.table_name = $parent AND p.row_id = e._dlt_parent_id;
