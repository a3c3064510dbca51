-- Grain: a row of any table of one source (a state of it, where its valid time is its load), as a node. problem: why it can't be one.
CREATE OR REPLACE TEMP TABLE entities (
    table_name VARCHAR NOT NULL, key VARCHAR NOT NULL, content VARCHAR NOT NULL, loaded_at TIMESTAMPTZ NOT NULL, ref VARCHAR,
    class VARCHAR NOT NULL, label VARCHAR, properties VARCHAR NOT NULL, source_key VARCHAR NOT NULL, mode VARCHAR NOT NULL,
    polarity VARCHAR NOT NULL, valid_from TIMESTAMPTZ, valid_to TIMESTAMPTZ, problem VARCHAR, detail VARCHAR
);
