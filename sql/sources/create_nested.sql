-- Grain: an item of a nested list of a record that is to be staged, as a record of its own.
CREATE OR REPLACE TEMP TABLE nested (
    file VARCHAR NOT NULL, position BIGINT NOT NULL, item BIGINT NOT NULL, record_id VARCHAR NOT NULL, table_name VARCHAR NOT NULL,
    parent VARCHAR NOT NULL, ref VARCHAR NOT NULL, class VARCHAR NOT NULL, label VARCHAR, properties VARCHAR NOT NULL, predicate VARCHAR NOT NULL,
    fact VARCHAR, source_key VARCHAR NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL
);
