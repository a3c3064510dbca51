-- Grain: a record of the versions that are to be staged, where no version of the source ever had one; `no_records` is dlt's table then.
CREATE OR REPLACE TEMP TABLE places (record_id VARCHAR, file VARCHAR, position BIGINT);
CREATE OR REPLACE TEMP TABLE no_records (_dlt_id VARCHAR);
