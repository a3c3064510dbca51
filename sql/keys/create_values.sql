-- Grain: one statement per temporary table. sampled_values: a value of a column that may refer, of those with the smallest
-- hashes; found_values: a value of a column that may be referred to, of those that some column may refer with.
CREATE OR REPLACE TEMP TABLE sampled_values (column_id BIGINT NOT NULL, value UBIGINT NOT NULL);
CREATE OR REPLACE TEMP TABLE found_values (column_id BIGINT NOT NULL, value UBIGINT NOT NULL);
