-- Grain: a row of any table of one source (a state of it, where its valid time is its load). class is NULL where rows are edges.
-- number: its place in the log. parts: the columns of its keys, as text. alone: no other state of the row is here. last: no later one.
-- problem: why it says nothing. refused: values that it says nothing of, a JSON list of {column, axiom, value}, or NULL.
CREATE OR REPLACE TEMP TABLE entities (
    number BIGINT NOT NULL, table_name VARCHAR NOT NULL, key VARCHAR NOT NULL, loaded_at TIMESTAMPTZ NOT NULL, ref VARCHAR, class VARCHAR, label VARCHAR,
    properties VARCHAR NOT NULL, parts VARCHAR[] NOT NULL, source_key VARCHAR NOT NULL, mode VARCHAR NOT NULL, polarity VARCHAR NOT NULL,
    valid_from TIMESTAMPTZ, valid_to TIMESTAMPTZ, observed_at TIMESTAMPTZ, sequence BIGINT NOT NULL, alone BOOLEAN NOT NULL,
    last BOOLEAN NOT NULL, problem VARCHAR, detail VARCHAR, refused VARCHAR
);
