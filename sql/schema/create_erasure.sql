-- Grain: what is kept of what was erased (design section 4, rule 11): enough to know it again, nothing to read it from.

-- One row: the secret of this store. It never leaves the warehouse: no snapshot and no export holds it.
CREATE TABLE IF NOT EXISTS graph.erasure_secret (secret BLOB NOT NULL);

-- One row: an id that must not come back. kind: entity, document, record (of a source), row (of the landing file).
-- token: the id under the store's secret (see erasure/create_token.sql).
CREATE TABLE IF NOT EXISTS graph.tombstones (
    dataset VARCHAR NOT NULL, kind VARCHAR NOT NULL, token BLOB NOT NULL, recorded_at TIMESTAMPTZ NOT NULL
);
