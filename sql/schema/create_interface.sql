-- Grain: the SQL interface for people: what is believed at a point of both clocks, how it came and from where.
-- Persisted, so that any DuckDB client can use it.
-- Nodes believed at a point of both clocks, one row per facet.
CREATE OR REPLACE MACRO graph.nodes_as_of(valid_at, known_at) AS TABLE
    SELECT * FROM graph.nodes AS n
    WHERE n.valid_from <= CAST(valid_at AS TIMESTAMPTZ) AND CAST(valid_at AS TIMESTAMPTZ) < n.valid_to
      AND n.recorded_from <= CAST(known_at AS TIMESTAMPTZ) AND CAST(known_at AS TIMESTAMPTZ) < n.recorded_to;

-- Edges believed at a point of both clocks, shown only while both ends are believed there too.
CREATE OR REPLACE MACRO graph.edges_as_of(valid_at, known_at) AS TABLE
    WITH believed AS (
        SELECT DISTINCT n.dataset, n.node_id FROM graph.nodes AS n
        WHERE n.valid_from <= CAST(valid_at AS TIMESTAMPTZ) AND CAST(valid_at AS TIMESTAMPTZ) < n.valid_to
          AND n.recorded_from <= CAST(known_at AS TIMESTAMPTZ) AND CAST(known_at AS TIMESTAMPTZ) < n.recorded_to
    )
    SELECT e.* FROM graph.edges AS e
    JOIN believed AS s ON s.dataset = e.dataset AND s.node_id = e.subject
    JOIN believed AS o ON o.dataset = e.dataset AND o.node_id = e.object
    WHERE e.valid_from <= CAST(valid_at AS TIMESTAMPTZ) AND CAST(valid_at AS TIMESTAMPTZ) < e.valid_to
      AND e.recorded_from <= CAST(known_at AS TIMESTAMPTZ) AND CAST(known_at AS TIMESTAMPTZ) < e.recorded_to;

-- Current belief about the present moment.
CREATE OR REPLACE VIEW graph.nodes_now AS
    SELECT *, 'infinity'::TIMESTAMPTZ AS recorded_to FROM graph.nodes_open
    WHERE valid_from <= now() AND now() < valid_to;

CREATE OR REPLACE VIEW graph.edges_now AS
    WITH believed AS (SELECT DISTINCT dataset, node_id FROM graph.nodes_now)
    SELECT e.*, 'infinity'::TIMESTAMPTZ AS recorded_to FROM graph.edges_open AS e
    JOIN believed AS s ON s.dataset = e.dataset AND s.node_id = e.subject
    JOIN believed AS o ON o.dataset = e.dataset AND o.node_id = e.object
    WHERE e.valid_from <= now() AND now() < e.valid_to;

-- Every version of a node (all its facets) or of an edge, in order of transaction time, then valid time.
CREATE OR REPLACE MACRO graph.history_of(of_id) AS TABLE
    SELECT * FROM (
        SELECT n.dataset, 'node' AS kind, n.node_id AS id, n.facet, n.class AS predicate, NULL::VARCHAR AS object, n.label AS text,
               n.properties, n.valid_from, n.valid_to, n.recorded_from, n.recorded_to, n.content_hash
        FROM graph.nodes AS n WHERE n.node_id = of_id
        UNION ALL
        SELECT e.dataset, 'edge', e.edge_id, e.origin, e.predicate, e.object, e.fact, e.properties, e.valid_from, e.valid_to,
               e.recorded_from, e.recorded_to, e.content_hash
        FROM graph.edges AS e WHERE e.edge_id = of_id OR e.subject = of_id OR e.object = of_id
    ) ORDER BY kind DESC, recorded_from, valid_from, id, facet, content_hash;

-- What changed between two transaction times: rows believed at known_b and not at known_a, and the reverse.
CREATE OR REPLACE MACRO graph.changes_between(known_a, known_b) AS TABLE
    WITH rows_of AS (
        SELECT dataset, 'node' AS kind, node_id AS id, class AS predicate, NULL::VARCHAR AS object, label AS text, properties,
               valid_from, valid_to, recorded_from, recorded_to, content_hash FROM graph.nodes
        UNION ALL
        SELECT dataset, 'edge', edge_id, predicate, object, fact, properties, valid_from, valid_to, recorded_from, recorded_to,
               content_hash FROM graph.edges
    ), marked AS (
        SELECT *, recorded_from <= CAST(known_a AS TIMESTAMPTZ) AND CAST(known_a AS TIMESTAMPTZ) < recorded_to AS at_a,
                  recorded_from <= CAST(known_b AS TIMESTAMPTZ) AND CAST(known_b AS TIMESTAMPTZ) < recorded_to AS at_b FROM rows_of
    ), net AS (
        SELECT dataset, kind, id, content_hash, bool_or(at_a) AS at_a, bool_or(at_b) AS at_b, any_value(predicate) AS predicate,
               any_value(object) AS object, any_value(text) AS text, any_value(properties) AS properties,
               any_value(valid_from) AS valid_from, any_value(valid_to) AS valid_to
        FROM marked WHERE at_a OR at_b GROUP BY dataset, kind, id, content_hash
    )
    SELECT CASE WHEN at_b THEN 'added' ELSE 'removed' END AS change, dataset, kind, id, predicate, object, text, properties,
           valid_from, valid_to, content_hash
    FROM net WHERE at_a <> at_b ORDER BY dataset, kind, id, valid_from, change, content_hash;

-- The succession of values of one relation of one subject, in current belief.
CREATE OR REPLACE MACRO graph.timeline_of(of_subject, of_predicate) AS TABLE
    SELECT e.dataset, e.object, e.fact, e.properties, e.origin, e.valid_from, e.valid_to, e.recorded_from, e.edge_id
    FROM graph.edges_open AS e WHERE e.subject = of_subject AND e.predicate = of_predicate
    ORDER BY e.valid_from, e.object;

-- Nodes within a number of hops, at a point of both clocks, with the distance; edges count in both directions.
CREATE OR REPLACE MACRO graph.neighbors_of(of_id, hops, valid_at, known_at) AS TABLE
    WITH RECURSIVE believed AS (
        SELECT dataset, subject, object FROM graph.edges_as_of(valid_at, known_at)
    ), links AS (
        SELECT dataset, subject AS a, object AS b FROM believed UNION SELECT dataset, object, subject FROM believed
    ), reach AS (
        SELECT l.dataset, l.b AS node_id, 1 AS distance FROM links AS l WHERE l.a = of_id AND hops >= 1
        UNION
        SELECT r.dataset, l.b, r.distance + 1 FROM reach AS r JOIN links AS l ON l.dataset = r.dataset AND l.a = r.node_id
        WHERE r.distance < hops
    )
    SELECT dataset, node_id, min(distance) AS distance FROM reach WHERE node_id <> of_id
    GROUP BY dataset, node_id ORDER BY distance, node_id;

-- The statements that justify an edge or node (all its rows), with the place where each was said.
CREATE OR REPLACE MACRO graph.evidence_of(of_id) AS TABLE
    SELECT DISTINCT u.dataset, s.statement_id, s.source, s.extractor, s.confidence, s.observed_at, s.valid_from, s.valid_to,
           s.recorded_from, s.recorded_to, v.document_id, v.chunk_id, v.char_start, v.char_end, v.quote, v.source_table, v.source_key
    FROM graph.support AS u
    JOIN graph.statements AS s ON s.dataset = u.dataset AND s.statement_id = u.statement_id
    JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
    WHERE u.row_id = of_id
    ORDER BY s.recorded_from, s.valid_from, v.document_id, v.char_start, s.statement_id;
