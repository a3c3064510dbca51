-- Grain: one statement per table of design section 3. Times are UTC TIMESTAMPTZ in microseconds, intervals half-open,
-- an open end is 'infinity'. Hashes are 16-byte BLOBs. No primary keys: invariants are audited by set-based queries.
CREATE SCHEMA IF NOT EXISTS graph;

-- One row: the version of these tables. It grows when a column or its meaning changes (SCHEMA_VERSION in project.py).
CREATE TABLE IF NOT EXISTS graph.schema_version AS SELECT 4 AS version;

CREATE TABLE IF NOT EXISTS graph.statements (
    dataset VARCHAR NOT NULL, statement_id BLOB NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    predicate VARCHAR NOT NULL, object VARCHAR, value VARCHAR NOT NULL, value_hash BLOB NOT NULL, facet VARCHAR NOT NULL,
    mode VARCHAR NOT NULL, polarity VARCHAR NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ, observed_at TIMESTAMPTZ,
    sequence BIGINT NOT NULL, source VARCHAR NOT NULL, scope VARCHAR NOT NULL, evidence_id BLOB NOT NULL,
    extractor VARCHAR NOT NULL, confidence DOUBLE NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.evidence (
    dataset VARCHAR NOT NULL, evidence_id BLOB NOT NULL, document_id VARCHAR, chunk_id VARCHAR, char_start BIGINT,
    char_end BIGINT, quote VARCHAR, source_table VARCHAR, source_key VARCHAR
);

CREATE TABLE IF NOT EXISTS graph.nodes_open (
    dataset VARCHAR NOT NULL, node_id VARCHAR NOT NULL, facet VARCHAR NOT NULL, class VARCHAR NOT NULL, label VARCHAR,
    properties VARCHAR NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, confidence DOUBLE NOT NULL, content_hash BLOB NOT NULL, value_hash BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.nodes_closed (
    dataset VARCHAR NOT NULL, node_id VARCHAR NOT NULL, facet VARCHAR NOT NULL, class VARCHAR NOT NULL, label VARCHAR,
    properties VARCHAR NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL, confidence DOUBLE NOT NULL,
    content_hash BLOB NOT NULL, value_hash BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.edges_open (
    dataset VARCHAR NOT NULL, edge_id VARCHAR NOT NULL, subject VARCHAR NOT NULL, predicate VARCHAR NOT NULL,
    object VARCHAR NOT NULL, fact VARCHAR, properties VARCHAR NOT NULL, origin VARCHAR NOT NULL,
    valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL, recorded_from TIMESTAMPTZ NOT NULL,
    confidence DOUBLE NOT NULL, content_hash BLOB NOT NULL, value_hash BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.edges_closed (
    dataset VARCHAR NOT NULL, edge_id VARCHAR NOT NULL, subject VARCHAR NOT NULL, predicate VARCHAR NOT NULL,
    object VARCHAR NOT NULL, fact VARCHAR, properties VARCHAR NOT NULL, origin VARCHAR NOT NULL,
    valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL, recorded_from TIMESTAMPTZ NOT NULL,
    recorded_to TIMESTAMPTZ NOT NULL, confidence DOUBLE NOT NULL, content_hash BLOB NOT NULL, value_hash BLOB NOT NULL
);

-- content_hash identifies a row of a node or edge (key, segment and value), value_hash its value alone.
-- One row: a live statement says this value (value_hash) of a node's facet (row_id = node id) or of an edge (row_id = edge id) on
-- [valid_from, valid_to); an event's claim ends at the next event of its key. Facet 'inferred': it upholds an inferred edge.
CREATE TABLE IF NOT EXISTS graph.claims (
    dataset VARCHAR NOT NULL, kind VARCHAR NOT NULL, row_id VARCHAR NOT NULL, facet VARCHAR NOT NULL, value_hash BLOB NOT NULL,
    statement_id BLOB NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL, recorded_from TIMESTAMPTZ NOT NULL,
    recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.identities (
    dataset VARCHAR NOT NULL, ref VARCHAR NOT NULL, node_id VARCHAR NOT NULL, method VARCHAR NOT NULL, score DOUBLE NOT NULL,
    reason VARCHAR NOT NULL, recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.conflicts (
    dataset VARCHAR NOT NULL, conflict_id BLOB NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    predicate VARCHAR NOT NULL, object VARCHAR NOT NULL, standing_statement BLOB, overridden_statement BLOB,
    rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, valid_from TIMESTAMPTZ NOT NULL, valid_to TIMESTAMPTZ NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.quarantine (
    dataset VARCHAR NOT NULL, quarantine_id BLOB NOT NULL, stage VARCHAR NOT NULL, reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL, payload VARCHAR NOT NULL, location VARCHAR NOT NULL, scope VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL, recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.documents (
    dataset VARCHAR NOT NULL, document_id VARCHAR NOT NULL, source VARCHAR NOT NULL, path VARCHAR NOT NULL, title VARCHAR NOT NULL,
    kind VARCHAR NOT NULL, media_type VARCHAR NOT NULL, language VARCHAR NOT NULL, reference_time TIMESTAMPTZ NOT NULL,
    text VARCHAR NOT NULL, content_hash BLOB NOT NULL, recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.chunks (
    dataset VARCHAR NOT NULL, chunk_id VARCHAR NOT NULL, document_id VARCHAR NOT NULL, position BIGINT NOT NULL,
    char_start BIGINT NOT NULL, char_end BIGINT NOT NULL, text VARCHAR NOT NULL, speaker VARCHAR, reference_time TIMESTAMPTZ NOT NULL,
    language VARCHAR NOT NULL, content_hash BLOB NOT NULL, recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.mentions (
    dataset VARCHAR NOT NULL, chunk_id VARCHAR NOT NULL, document_id VARCHAR NOT NULL, ref VARCHAR NOT NULL, class VARCHAR NOT NULL,
    surface VARCHAR NOT NULL, char_start BIGINT NOT NULL, char_end BIGINT NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.communities (
    dataset VARCHAR NOT NULL, community_id VARCHAR NOT NULL, level INTEGER NOT NULL, parent_id VARCHAR, member_count BIGINT NOT NULL,
    edge_count BIGINT NOT NULL, recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.community_members (
    dataset VARCHAR NOT NULL, community_id VARCHAR NOT NULL, level INTEGER NOT NULL, node_id VARCHAR NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.community_reports (
    dataset VARCHAR NOT NULL, community_id VARCHAR NOT NULL, level INTEGER NOT NULL, title VARCHAR NOT NULL, summary VARCHAR NOT NULL,
    findings VARCHAR NOT NULL, coverage VARCHAR NOT NULL, method VARCHAR NOT NULL, input_hash BLOB NOT NULL,
    recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);

-- One row: a foreign key between tables of a source. origin: declared, nested, configured, inferred. used: whether it makes edges; an
-- inferred one that is not sure enough waits for a person's yes. evidence: JSON, of an inferred one.
CREATE TABLE IF NOT EXISTS graph.foreign_keys (
    dataset VARCHAR NOT NULL, source VARCHAR NOT NULL, name VARCHAR NOT NULL, table_name VARCHAR NOT NULL, columns VARCHAR[] NOT NULL,
    referenced_table VARCHAR NOT NULL, referenced_columns VARCHAR[] NOT NULL, origin VARCHAR NOT NULL,
    coverage DOUBLE NOT NULL, confidence DOUBLE NOT NULL, used BOOLEAN NOT NULL, evidence VARCHAR
);

-- One row: a column of a source's table, the property it became, and the XSD datatype of its values (IRI; NULL: each value's own).
CREATE TABLE IF NOT EXISTS graph.properties (
    dataset VARCHAR NOT NULL, source VARCHAR NOT NULL, table_name VARCHAR NOT NULL, column_name VARCHAR NOT NULL,
    property VARCHAR NOT NULL, datatype VARCHAR
);

-- One row: a batch that was committed. A batch id stands here once, so a replay is recognised before any work.
CREATE TABLE IF NOT EXISTS graph.runs (
    dataset VARCHAR NOT NULL, batch_id VARCHAR NOT NULL, run_id VARCHAR NOT NULL, stage VARCHAR NOT NULL, source VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL, clock VARCHAR NOT NULL, counts VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS graph.llm_calls (
    dataset VARCHAR NOT NULL, cache_key BLOB NOT NULL, engine VARCHAR NOT NULL, model VARCHAR NOT NULL, chunk_hash BLOB NOT NULL,
    prompt_tokens BIGINT NOT NULL, completion_tokens BIGINT NOT NULL, response VARCHAR NOT NULL, recorded_at TIMESTAMPTZ NOT NULL
);

-- What the ontology says of each property; a change of a row re-derives the keys it touches.
CREATE TABLE IF NOT EXISTS graph.ontology_properties (
    dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL, label VARCHAR NOT NULL, single_valued BOOLEAN NOT NULL
);

-- predicate(s, o) implies implied(s, o), or implied(o, s) when swapped: inverse, symmetric and sub-property axioms, closed.
CREATE TABLE IF NOT EXISTS graph.ontology_implications (
    dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL, implied VARCHAR NOT NULL, swapped BOOLEAN NOT NULL
);

-- predicate(s, o) and excluded(s, o), or excluded(o, s) when swapped, do not hold at one time: owl:propertyDisjointWith, closed over what
-- implies either. Holds each pair both ways round.
CREATE TABLE IF NOT EXISTS graph.ontology_exclusions (
    dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL, excluded VARCHAR NOT NULL, swapped BOOLEAN NOT NULL
);

-- first(a, b) and second(b, c) imply implied(a, c): transitive relations (all three the same) and property chains, a longer one by way of
-- relations that stand for the rest of it.
CREATE TABLE IF NOT EXISTS graph.ontology_compositions (
    dataset VARCHAR NOT NULL, first VARCHAR NOT NULL, second VARCHAR NOT NULL, implied VARCHAR NOT NULL
);

-- class is a (transitive, reflexive) subclass of ancestor.
CREATE TABLE IF NOT EXISTS graph.ontology_classes (
    dataset VARCHAR NOT NULL, class VARCHAR NOT NULL, ancestor VARCHAR NOT NULL, label VARCHAR NOT NULL
);

-- The ontology's rules as belief last applied them; where they differ from the tables above, keys are derived again.
CREATE TABLE IF NOT EXISTS graph.applied_properties (dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS graph.applied_implications (
    dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL, implied VARCHAR NOT NULL, swapped BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS graph.applied_exclusions (
    dataset VARCHAR NOT NULL, predicate VARCHAR NOT NULL, excluded VARCHAR NOT NULL, swapped BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS graph.applied_compositions (
    dataset VARCHAR NOT NULL, first VARCHAR NOT NULL, second VARCHAR NOT NULL, implied VARCHAR NOT NULL
);

-- The input fingerprint each stage last consumed, written in the transaction that consumed it: a re-run is free.
CREATE TABLE IF NOT EXISTS graph.watermarks (
    dataset VARCHAR NOT NULL, stage VARCHAR NOT NULL, scope VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL
);
