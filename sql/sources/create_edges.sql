-- Grain: what one foreign key of a row refers to, or what a row that is an edge says. place, number: the order in which they are said.
CREATE OR REPLACE TEMP TABLE edges (
    place BIGINT NOT NULL, number BIGINT NOT NULL, table_name VARCHAR NOT NULL, subject VARCHAR NOT NULL, predicate VARCHAR NOT NULL, object VARCHAR NOT NULL, fact VARCHAR,
    properties VARCHAR NOT NULL, source_key VARCHAR NOT NULL, mode VARCHAR NOT NULL, polarity VARCHAR NOT NULL,
    valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ, observed_at TIMESTAMPTZ, sequence BIGINT NOT NULL
);
