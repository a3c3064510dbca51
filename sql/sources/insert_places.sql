-- Grain: a record nested in one of `places`. Input: {table}, dlt's table of the list.
INSERT INTO places
SELECT i._dlt_id, p.file, p.position FROM {table} AS i JOIN places AS p ON p.record_id = i._dlt_parent_id;
