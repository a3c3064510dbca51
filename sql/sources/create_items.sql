-- Grain: an item of a nested list of a record that is to be staged, as an edge. problem: why it can't be one.
CREATE OR REPLACE TEMP TABLE items (
    file VARCHAR NOT NULL, position BIGINT NOT NULL, rank BIGINT NOT NULL, item BIGINT NOT NULL, subject VARCHAR NOT NULL, predicate VARCHAR NOT NULL, local VARCHAR,
    object VARCHAR, object_class VARCHAR NOT NULL, object_label VARCHAR, fact VARCHAR, properties VARCHAR NOT NULL,
    source_key VARCHAR NOT NULL, valid_from TIMESTAMPTZ, valid_to TIMESTAMPTZ, problem VARCHAR, detail VARCHAR, fields VARCHAR[]
);
