-- Grain: one row: how many items of a nested table there are, and how many find what they are nested in. Inputs: {child}, {parent}.
SELECT count(*), count(p._dlt_id) FROM {child} AS c LEFT JOIN {parent} AS p ON p._dlt_id = c._dlt_parent_id;
