-- Grain: the schema of a source in the landing file, before it is replaced.
DROP SCHEMA IF EXISTS {schema} CASCADE;
