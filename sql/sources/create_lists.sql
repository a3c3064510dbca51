-- Grain: a list of scalars in a record: the path of the field, and its members as a JSON array.
CREATE OR REPLACE TEMP TABLE lists (record_id VARCHAR NOT NULL, path VARCHAR NOT NULL, members VARCHAR NOT NULL);
