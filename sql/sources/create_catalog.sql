-- Grain: the landing file's own tables, beside dlt's. All of them change in one transaction after a load that succeeded,
-- so that a reader sees the last whole load, whatever a crash did to dlt's tables.
CREATE SCHEMA IF NOT EXISTS stratagraph;

-- One row: a source that was loaded. input_fingerprint is NULL while a load is under way, and for sources whose input
-- can't be told to be unchanged. content_fingerprint: what is in it now. history_fingerprint: and when it came.
CREATE TABLE IF NOT EXISTS stratagraph.loads (
    source VARCHAR NOT NULL, kind VARCHAR NOT NULL, input_fingerprint VARCHAR, content_fingerprint VARCHAR NOT NULL,
    history_fingerprint VARCHAR NOT NULL, loaded_at TIMESTAMPTZ NOT NULL, tables BIGINT NOT NULL, row_count BIGINT NOT NULL
);

-- One row: a table of a source; path: the lists it is nested in (orders, items). present: whether the last load still had it.
-- drifted: whether its columns ever changed, so that older contents in `rows` have another shape than newer ones.
CREATE TABLE IF NOT EXISTS stratagraph.tables (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, path VARCHAR[] NOT NULL, mode VARCHAR NOT NULL, present BOOLEAN NOT NULL,
    drifted BOOLEAN NOT NULL, row_count BIGINT NOT NULL
);

-- One row: a column of a source's table (or a field of a recorded source's record), and its name in the landing file.
-- encoded: whether the landing column holds the JSON text of each value.
-- known_as: the first name it had, which its IRI keeps; former: all names that older contents may hold. present: whether the last
-- load still had it; a column that was dropped speaks on for the rows that did not change since.
CREATE TABLE IF NOT EXISTS stratagraph.columns (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, column_name VARCHAR NOT NULL, landing_schema VARCHAR NOT NULL,
    landing_table VARCHAR NOT NULL, landing_column VARCHAR NOT NULL, type VARCHAR NOT NULL, position BIGINT NOT NULL,
    known_as VARCHAR NOT NULL, former VARCHAR[] NOT NULL, present BOOLEAN NOT NULL, encoded BOOLEAN NOT NULL
);

-- Files of earlier releases have neither; what they lack is as it was before there was any.
ALTER TABLE stratagraph.columns ADD COLUMN IF NOT EXISTS known_as VARCHAR;
ALTER TABLE stratagraph.columns ADD COLUMN IF NOT EXISTS former VARCHAR[] DEFAULT [];
ALTER TABLE stratagraph.columns ADD COLUMN IF NOT EXISTS present BOOLEAN DEFAULT true;
ALTER TABLE stratagraph.columns ADD COLUMN IF NOT EXISTS encoded BOOLEAN DEFAULT false;

-- One row: what a load found changed in the columns of a table. change: added, dropped, renamed, retyped.
CREATE TABLE IF NOT EXISTS stratagraph.schema_changes (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, column_name VARCHAR NOT NULL, change VARCHAR NOT NULL, before VARCHAR,
    after VARCHAR, seen_at TIMESTAMPTZ NOT NULL
);

-- One row: a row or file of a source that the last load could not read.
CREATE TABLE IF NOT EXISTS stratagraph.refused (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, reason VARCHAR NOT NULL, detail VARCHAR NOT NULL, payload VARCHAR NOT NULL,
    location VARCHAR NOT NULL
);

-- One row: how far an incremental table was loaded: the greatest value of its cursor, as text, and its DuckDB type.
CREATE TABLE IF NOT EXISTS stratagraph.cursors (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, column_name VARCHAR NOT NULL, value VARCHAR NOT NULL, type VARCHAR NOT NULL
);

-- One row: a primary key or a unique key of a table, loaded or not. kind: primary (what tells its rows apart), unique.
-- origin: declared (by the source), configured, inferred.
CREATE TABLE IF NOT EXISTS stratagraph.identifiers (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, kind VARCHAR NOT NULL, columns VARCHAR[] NOT NULL, origin VARCHAR NOT NULL
);

ALTER TABLE stratagraph.identifiers ADD COLUMN IF NOT EXISTS origin VARCHAR DEFAULT 'declared';

-- One row: a foreign key. origin: declared (names of the source), nested (names of the landing file).
CREATE TABLE IF NOT EXISTS stratagraph.foreign_keys (
    source VARCHAR NOT NULL, name VARCHAR NOT NULL, table_name VARCHAR NOT NULL, columns VARCHAR[] NOT NULL,
    referenced_table VARCHAR NOT NULL, referenced_columns VARCHAR[] NOT NULL, origin VARCHAR NOT NULL
);

-- One row: a row of a table as a load brought it (content: JSON by column name, without NULLs), or its disappearance.
-- Append-only. key: JSON array of the primary key; for rows without one ["#", hash of the content, occurrence].
CREATE TABLE IF NOT EXISTS stratagraph.rows (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, key VARCHAR NOT NULL, content VARCHAR NOT NULL,
    loaded_at TIMESTAMPTZ NOT NULL, present BOOLEAN NOT NULL
);

-- One row: a version of a recorded source that was loaded. Rows of dlt's tables without a version here don't count.
-- item_count: records in nested lists. fields: those that occur (table, tab, field for nested ones). renamed: field -> how the version
-- calls it. moved: whether git's own time is not later than that of the version before. read_as: fingerprint of the config it was
-- read with. state: accepted; refused, and the reason: it lost too much.
CREATE TABLE IF NOT EXISTS stratagraph.versions (
    source VARCHAR NOT NULL, file VARCHAR NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, sha256 VARCHAR NOT NULL,
    record_count BIGINT NOT NULL, load_id VARCHAR NOT NULL
);
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS item_count BIGINT DEFAULT 0;
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS fields VARCHAR[];
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS renamed MAP(VARCHAR, VARCHAR);
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS moved BOOLEAN DEFAULT false;
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS read_as VARCHAR;
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS state VARCHAR DEFAULT 'accepted';
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS reason VARCHAR;
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS detail VARCHAR;
ALTER TABLE stratagraph.versions ADD COLUMN IF NOT EXISTS payload VARCHAR;

-- One row: a foreign key that a load inferred, or that may be one. used: whether it is certain. evidence: JSON, what speaks for it.
CREATE TABLE IF NOT EXISTS stratagraph.inferred_keys (
    source VARCHAR NOT NULL, name VARCHAR NOT NULL, table_name VARCHAR NOT NULL, columns VARCHAR[] NOT NULL,
    referenced_table VARCHAR NOT NULL, referenced_columns VARCHAR[] NOT NULL, coverage DOUBLE, confidence DOUBLE NOT NULL,
    evidence VARCHAR NOT NULL, used BOOLEAN NOT NULL
);

-- One row: what tells the rows of a table apart that declares nothing, as a load inferred it. It stays while it holds.
-- evidence: JSON. before: the columns that did so until this load, where they were given up.
CREATE TABLE IF NOT EXISTS stratagraph.inferred_identifiers (
    source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, columns VARCHAR[] NOT NULL, confidence DOUBLE NOT NULL,
    evidence VARCHAR NOT NULL, before VARCHAR[]
);
