-- Grain: one row per indexed unit (a chunk, a row of an edge, a row of a node, a community report), by ordinal.
CREATE TABLE graph.units (
    ordinal BIGINT NOT NULL, kind VARCHAR NOT NULL, id VARCHAR NOT NULL, text VARCHAR NOT NULL, context VARCHAR,
    dataset VARCHAR NOT NULL, source VARCHAR NOT NULL, document_id VARCHAR, chunk_id VARCHAR, content_hash BLOB,
    valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL, recorded_from TIMESTAMPTZ NOT NULL,
    recorded_to TIMESTAMPTZ NOT NULL, subject_code BIGINT NOT NULL, object_code BIGINT NOT NULL, unit_key BIGINT NOT NULL,
    previous_1 BIGINT NOT NULL, previous_2 BIGINT NOT NULL, next_1 BIGINT NOT NULL, next_2 BIGINT NOT NULL
);
