-- Grain: one instant at which something began or ended that is to be replayed, in order. Inputs: replayed_statements,
-- replayed_identities.
WITH instants AS (
    SELECT recorded_from AS instant FROM replayed_statements UNION SELECT recorded_to FROM replayed_statements
    UNION SELECT recorded_from FROM replayed_identities UNION SELECT recorded_to FROM replayed_identities
)
SELECT instant FROM instants WHERE instant >= CAST($first AS TIMESTAMPTZ) AND instant < 'infinity' ORDER BY instant
