-- Grain: a row of any table of one source, as the load just brought it (see stratagraph.rows). row_id: dlt's, where rows are nested
-- in it; place: of rows of one key, the one with the lowest stands.
CREATE OR REPLACE TEMP TABLE current_rows (
    table_name VARCHAR NOT NULL, key VARCHAR NOT NULL, content VARCHAR NOT NULL, row_id VARCHAR, place BIGINT NOT NULL
);
