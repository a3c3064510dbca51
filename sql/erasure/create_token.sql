-- Grain: session-local: an id as a tombstone holds it. Nested like HMAC (RFC 2104): without the secret, nobody can find out
-- whether a name that they guess is the one.
CREATE OR REPLACE TEMP MACRO token_of(secret, kind, id) AS
    unhex(sha256(hex(secret) || '/outer/' || sha256(hex(secret) || '/inner/' || kind || '/' || id)));
