-- Grain: a record of the versions that are to be staged, later also the records nested in them: where each stands.
-- Inputs: {table}, dlt's table of the records; the registered relation `wanted` (file). Parameter: $source.
CREATE OR REPLACE TEMP TABLE places AS
SELECT r._dlt_id AS record_id, r.version_file AS file, r.version_position AS position
FROM {table} AS r
JOIN stratagraph.versions AS v ON v.load_id = r._dlt_load_id AND v.file = r.version_file AND v.source = $source
JOIN wanted AS w ON w.file = v.file;
