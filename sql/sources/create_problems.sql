-- Grain: input that no statement can be made of, on its way to the quarantine.
CREATE OR REPLACE TEMP TABLE problems (
    reason VARCHAR NOT NULL, detail VARCHAR NOT NULL, payload VARCHAR NOT NULL, location VARCHAR NOT NULL, scope VARCHAR NOT NULL
);
