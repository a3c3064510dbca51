-- Grain: one row, the last whole load of documents into the landing file. It is taken away before a load starts and written
-- after it succeeded, so that what a killed load left behind is never read.
CREATE SCHEMA IF NOT EXISTS documents;
CREATE TABLE IF NOT EXISTS documents.stratagraph_loads (
    fingerprint VARCHAR NOT NULL, files BIGINT NOT NULL, documents BIGINT NOT NULL, turns BIGINT NOT NULL, refused BIGINT NOT NULL
);
