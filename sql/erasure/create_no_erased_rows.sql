-- Grain: a row that a load just brought and that is erased, with the values of its primary key: none yet.
CREATE OR REPLACE TEMP TABLE erased_rows (source VARCHAR, table_name VARCHAR, key VARCHAR, parts VARCHAR[]);
