-- Grain: one chunk as it was cut. Filled batch by batch by insert_cut.
CREATE OR REPLACE TEMP TABLE cut (
    document_id VARCHAR, position BIGINT, char_start BIGINT, char_end BIGINT, text VARCHAR, speaker VARCHAR,
    reference_time TIMESTAMPTZ, language VARCHAR
);
