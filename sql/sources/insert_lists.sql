-- Grain: a list of scalars in one of `places`. Input: {table}, dlt's table of the list; $path: the field, from its record.
INSERT INTO lists
SELECT p.record_id, $path, '[' || string_agg(coalesce(i.{value}, 'null'), ',' ORDER BY i._dlt_list_idx) || ']'
FROM {table} AS i JOIN places AS p ON p.record_id = i._dlt_parent_id GROUP BY p.record_id;
