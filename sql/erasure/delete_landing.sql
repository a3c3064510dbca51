-- Grain: one row of {table}, dlt's, whose document ({column}) is erased. Input: tombstones (registered). Parameter: $secret.
DELETE FROM {table} AS l USING tombstones AS t
WHERE t.kind = 'document' AND t.token = token_of($secret, 'document', l.{column})
