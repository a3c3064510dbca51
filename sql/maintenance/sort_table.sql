-- Grain: a row of a table. Input: the same table of the old file. The order is what lets a reader skip row groups.
INSERT INTO {new} SELECT * FROM {old} ORDER BY {order};
