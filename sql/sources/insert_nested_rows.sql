-- Grain: an item of a list that is nested in a row. Inputs: {table}, dlt's; {content}, JSON of its fields; current_rows with the parents.
-- Its key is the parent's, and its place in the list. {key} is not read: an item is told apart by its place alone.
INSERT INTO current_rows
WITH encoded AS (
    SELECT {content} AS content, {key} AS declared_key, _dlt_parent_id, _dlt_list_idx, _dlt_id FROM {table}
)
SELECT $name, left(p.key, length(p.key) - 1) || ',' || e._dlt_list_idx || ']', e.content, e._dlt_id
FROM encoded AS e JOIN current_rows AS p ON p.table_name = $parent AND p.row_id = e._dlt_parent_id;
