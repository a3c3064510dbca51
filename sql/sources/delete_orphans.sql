-- Grain: nested items whose record is gone. Inputs: {child}, {parent}.
DELETE FROM {child} WHERE _dlt_parent_id NOT IN (SELECT _dlt_id FROM {parent});
