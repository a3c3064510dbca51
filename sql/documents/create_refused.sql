-- Grain: one refused file or record. Input: incoming, the rows of select_refused.
CREATE OR REPLACE TEMP TABLE refused AS
SELECT i.scope, i.location, i.reason, i.detail, i.payload FROM incoming AS i;
