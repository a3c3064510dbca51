-- Grain: a row of a table. Input: the same table of the old file, in the order in which it stands there.
INSERT INTO {new} SELECT * FROM {old};
