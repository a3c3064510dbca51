-- Grain: records of loads that a crash cut off. Input: {table}, dlt's table of the records.
DELETE FROM {table} WHERE _dlt_load_id NOT IN (SELECT load_id FROM stratagraph.versions WHERE source = $source);
