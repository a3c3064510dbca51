-- Grain: the SQL interface for people: what is believed at a point of both clocks, how it came, what changed, and from where.
-- Persisted, so that any DuckDB client can use it. Inputs: graph.nodes, graph.edges, graph.support, statements, evidence.

-- Whether a period, which does not include its end, holds at a moment; whether two such periods have an instant in common.
CREATE OR REPLACE MACRO graph.holds_at(starts, ends, moment) AS
    starts <= CAST(moment AS TIMESTAMPTZ) AND CAST(moment AS TIMESTAMPTZ) < ends;
CREATE OR REPLACE MACRO graph.overlap(starts, ends, other_starts, other_ends) AS
    starts < other_ends AND other_starts < ends;

-- Nodes believed at a point of both clocks, one row per facet.
CREATE OR REPLACE MACRO graph.nodes_as_of(valid_at, known_at) AS TABLE
    SELECT * FROM graph.nodes AS n
    WHERE graph.holds_at(n.valid_from, n.valid_to, valid_at) AND graph.holds_at(n.recorded_from, n.recorded_to, known_at);

-- Edges believed at a point of both clocks, shown only while both ends are believed there too, by any of their rows.
-- The ends are semi joins, not a common table: so a filter on an edge reaches its scan, and is the side that is hashed.
CREATE OR REPLACE MACRO graph.edges_as_of(valid_at, known_at) AS TABLE
    SELECT e.* FROM graph.edges AS e
    SEMI JOIN (SELECT dataset, node_id FROM graph.nodes_as_of(valid_at, known_at)) AS s
      ON s.dataset = e.dataset AND s.node_id = e.subject
    SEMI JOIN (SELECT dataset, node_id FROM graph.nodes_as_of(valid_at, known_at)) AS o
      ON o.dataset = e.dataset AND o.node_id = e.object
    WHERE graph.holds_at(e.valid_from, e.valid_to, valid_at) AND graph.holds_at(e.recorded_from, e.recorded_to, known_at);

-- Current belief about the present moment.
CREATE OR REPLACE VIEW graph.nodes_now AS
    SELECT * FROM graph.nodes AS n WHERE n.recorded_to = 'infinity' AND graph.holds_at(n.valid_from, n.valid_to, now());

CREATE OR REPLACE VIEW graph.edges_now AS
    SELECT e.* FROM graph.edges AS e
    SEMI JOIN (SELECT dataset, node_id FROM graph.nodes_now) AS s ON s.dataset = e.dataset AND s.node_id = e.subject
    SEMI JOIN (SELECT dataset, node_id FROM graph.nodes_now) AS o ON o.dataset = e.dataset AND o.node_id = e.object
    WHERE e.recorded_to = 'infinity' AND graph.holds_at(e.valid_from, e.valid_to, now());

-- The temporal join of edges with their ends: one row for each version of an edge and of a facet of either end, with the
-- stretches of both clocks on which all three are believed. Its slice at a point is the join of the slices at that point.
CREATE OR REPLACE VIEW graph.edges_labelled AS
    SELECT e.dataset, e.edge_id,
           e.subject, s.facet AS subject_facet, s.class AS subject_class, s.label AS subject_label,
           e.predicate, e.fact, e.properties, e.origin,
           e.object, o.facet AS object_facet, o.class AS object_class, o.label AS object_label,
           greatest(e.valid_from, s.valid_from, o.valid_from) AS valid_from,
           least(e.valid_to, s.valid_to, o.valid_to) AS valid_to,
           greatest(e.recorded_from, s.recorded_from, o.recorded_from) AS recorded_from,
           least(e.recorded_to, s.recorded_to, o.recorded_to) AS recorded_to,
           e.content_hash, s.content_hash AS subject_hash, o.content_hash AS object_hash
    FROM graph.edges AS e
    JOIN graph.nodes AS s ON s.dataset = e.dataset AND s.node_id = e.subject
     AND graph.overlap(s.valid_from, s.valid_to, e.valid_from, e.valid_to)
     AND graph.overlap(s.recorded_from, s.recorded_to, e.recorded_from, e.recorded_to)
    JOIN graph.nodes AS o ON o.dataset = e.dataset AND o.node_id = e.object
     AND graph.overlap(o.valid_from, o.valid_to, e.valid_from, e.valid_to)
     AND graph.overlap(o.recorded_from, o.recorded_to, e.recorded_from, e.recorded_to)
     AND graph.overlap(o.valid_from, o.valid_to, s.valid_from, s.valid_to)
     AND graph.overlap(o.recorded_from, o.recorded_to, s.recorded_from, s.recorded_to);

-- One node at a point of both clocks, one row per facet: nodes_as_of for a single id, found without reading the others.
CREATE OR REPLACE MACRO graph.node_at(of_id, valid_at, known_at) AS TABLE
    SELECT n.* FROM graph.nodes_as_of(valid_at, known_at) AS n
    WHERE n.node_id = of_id AND graph.begins_with(n.content_hash, of_id);

-- Every version of a node (all its facets) and of its edges, or of an edge, in order of transaction time, then valid time.
-- One branch for each column, since a filter with OR reaches no scan.
CREATE OR REPLACE MACRO graph.history_of(of_id) AS TABLE
    WITH touching AS (
        SELECT * FROM graph.edges AS e WHERE e.edge_id = of_id
        UNION ALL
        SELECT * FROM graph.edges AS e WHERE e.subject = of_id AND graph.begins_with(e.content_hash, of_id)
        UNION ALL
        SELECT * FROM graph.edges AS e WHERE e.object = of_id AND e.subject <> of_id
    )
    SELECT * FROM (
        SELECT n.dataset, 'node' AS kind, n.node_id AS id, n.facet, NULL::VARCHAR AS subject, n.class AS predicate,
               NULL::VARCHAR AS object, n.label AS text, n.properties, n.valid_from, n.valid_to, n.recorded_from, n.recorded_to,
               n.content_hash
        FROM graph.nodes AS n WHERE n.node_id = of_id AND graph.begins_with(n.content_hash, of_id)
        UNION ALL
        SELECT e.dataset, 'edge', e.edge_id, e.origin, e.subject, e.predicate, e.object, e.fact, e.properties, e.valid_from,
               e.valid_to, e.recorded_from, e.recorded_to, e.content_hash
        FROM touching AS e
    ) ORDER BY kind DESC, recorded_from, valid_from, id, facet, content_hash;

-- What changed between two transaction times: rows believed at known_b and not at known_a, and the reverse. Only rows that
-- came or went between the two are looked at; one that ended and came back the same is no change.
CREATE OR REPLACE MACRO graph.changes_between(known_a, known_b) AS TABLE
    WITH rows_of AS (
        SELECT dataset, 'node' AS kind, node_id AS id, facet, NULL::VARCHAR AS subject, class AS predicate,
               NULL::VARCHAR AS object, label AS text, properties, valid_from, valid_to, recorded_from, recorded_to,
               content_hash
        FROM graph.nodes
        UNION ALL
        SELECT dataset, 'edge', edge_id, '', subject, predicate, object, fact, properties, valid_from, valid_to, recorded_from,
               recorded_to, content_hash FROM graph.edges
    ), moved AS (
        SELECT *, TRUE AS came FROM rows_of
        WHERE recorded_from > least(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
          AND recorded_from <= greatest(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
          AND recorded_to > greatest(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
        UNION ALL
        SELECT *, FALSE FROM rows_of
        WHERE recorded_from <= least(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
          AND recorded_to > least(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
          AND recorded_to <= greatest(CAST(known_a AS TIMESTAMPTZ), CAST(known_b AS TIMESTAMPTZ))
    ), net AS (
        SELECT dataset, kind, id, content_hash, bool_or(came) AS came, any_value(facet) AS facet, any_value(subject) AS subject,
               any_value(predicate) AS predicate, any_value(object) AS object, any_value(text) AS text,
               any_value(properties) AS properties, any_value(valid_from) AS valid_from, any_value(valid_to) AS valid_to
        FROM moved GROUP BY dataset, kind, id, content_hash HAVING bool_and(came) OR bool_and(NOT came)
    )
    SELECT CASE came = (CAST(known_a AS TIMESTAMPTZ) <= CAST(known_b AS TIMESTAMPTZ))
               WHEN TRUE THEN 'added' ELSE 'removed' END AS change,
           dataset, kind, id, facet, subject, predicate, object, text, properties, valid_from, valid_to, content_hash
    FROM net ORDER BY dataset, kind, id, facet, valid_from, change, content_hash;

-- How two points of both clocks differ: one row for each facet of a node and each edge with another value, or none, at the
-- other point. Values are JSON; how long they hold is no part of them.
CREATE OR REPLACE MACRO graph.diff_between(valid_a, known_a, valid_b, known_b) AS TABLE
    WITH node_values AS (
        SELECT n.dataset, n.node_id, n.facet,
               json_object('class', n.class, 'label', n.label, 'properties', n.properties::JSON)::VARCHAR AS value,
               graph.holds_at(n.valid_from, n.valid_to, valid_a)
                   AND graph.holds_at(n.recorded_from, n.recorded_to, known_a) AS at_a,
               graph.holds_at(n.valid_from, n.valid_to, valid_b)
                   AND graph.holds_at(n.recorded_from, n.recorded_to, known_b) AS at_b
        FROM graph.nodes AS n
    ), edge_values AS (
        SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, TRUE AS at_a, e.origin, e.fact, e.properties
        FROM graph.edges_as_of(valid_a, known_a) AS e
        UNION ALL
        SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, FALSE, e.origin, e.fact, e.properties
        FROM graph.edges_as_of(valid_b, known_b) AS e
    ), pairs AS (
        SELECT dataset, 'node' AS kind, node_id AS id, facet, NULL::VARCHAR AS subject, NULL::VARCHAR AS predicate,
               NULL::VARCHAR AS object, max(value) FILTER (at_a) AS before, max(value) FILTER (at_b) AS after
        FROM node_values WHERE at_a <> at_b GROUP BY dataset, node_id, facet
        UNION ALL
        SELECT dataset, 'edge', edge_id, '', subject, predicate, object,
               max(json_object('fact', fact, 'origin', origin, 'properties', properties::JSON)::VARCHAR) FILTER (at_a),
               max(json_object('fact', fact, 'origin', origin, 'properties', properties::JSON)::VARCHAR) FILTER (NOT at_a)
        FROM edge_values GROUP BY dataset, edge_id, subject, predicate, object
    )
    SELECT CASE WHEN before IS NULL THEN 'added' WHEN after IS NULL THEN 'removed' ELSE 'changed' END AS change,
           dataset, kind, id, facet, subject, predicate, object, before, after
    FROM pairs WHERE before IS DISTINCT FROM after ORDER BY dataset, kind DESC, id, facet;

-- The succession of values of one relation of one subject, in current belief.
CREATE OR REPLACE MACRO graph.timeline_of(of_subject, of_predicate) AS TABLE
    SELECT e.dataset, e.object, e.fact, e.properties, e.origin, e.valid_from, e.valid_to, e.recorded_from, e.edge_id
    FROM graph.edges_open AS e WHERE e.subject = of_subject AND e.predicate = of_predicate
    ORDER BY e.valid_from, e.object;

-- Nodes within a number of hops, at a point of both clocks, with the distance; edges count in both directions. Each hop joins
-- the nodes of the hop before with the edges; a node that was reached is not expanded again, so cycles end.
CREATE OR REPLACE MACRO graph.neighbors_of(of_id, hops, valid_at, known_at) AS TABLE
    WITH RECURSIVE reach(dataset, node_id, distance) USING KEY (dataset, node_id) AS (
        SELECT DISTINCT n.dataset, n.node_id, 0 FROM graph.nodes_as_of(valid_at, known_at) AS n WHERE n.node_id = of_id
        UNION
        SELECT DISTINCT f.dataset, f.node_id, f.distance FROM (
            SELECT r.dataset, e.object AS node_id, r.distance + 1 AS distance FROM reach AS r
            JOIN graph.edges AS e ON e.dataset = r.dataset AND e.subject = r.node_id
            WHERE r.distance < hops AND graph.holds_at(e.valid_from, e.valid_to, valid_at)
              AND graph.holds_at(e.recorded_from, e.recorded_to, known_at)
            UNION ALL
            SELECT r.dataset, e.subject, r.distance + 1 FROM reach AS r
            JOIN graph.edges AS e ON e.dataset = r.dataset AND e.object = r.node_id
            WHERE r.distance < hops AND graph.holds_at(e.valid_from, e.valid_to, valid_at)
              AND graph.holds_at(e.recorded_from, e.recorded_to, known_at)
        ) AS f
        ANTI JOIN recurring.reach AS k ON k.dataset = f.dataset AND k.node_id = f.node_id
        SEMI JOIN (SELECT dataset, node_id FROM graph.nodes_as_of(valid_at, known_at)) AS b
          ON b.dataset = f.dataset AND b.node_id = f.node_id
    )
    SELECT dataset, node_id, distance FROM reach WHERE distance > 0 ORDER BY distance, dataset, node_id;

-- The statements that justify an edge or node (all its rows), with what each said and the place where it stands. An inferred
-- edge is justified by the statements of its premises.
CREATE OR REPLACE MACRO graph.evidence_of(of_id) AS TABLE
    WITH claimed AS (
        SELECT DISTINCT u.dataset, u.statement_id FROM graph.support AS u WHERE u.row_id = of_id
    )
    SELECT s.dataset, s.statement_id, s.source, s.extractor, s.confidence, s.observed_at, s.valid_from, s.valid_to,
           s.recorded_from, s.recorded_to, v.document_id, v.chunk_id, v.char_start, v.char_end, v.quote, v.source_table,
           v.source_key, s.kind, s.subject, s.predicate, s.object, s.value
    FROM claimed AS c
    JOIN graph.statements AS s ON s.dataset = c.dataset AND s.statement_id = c.statement_id
    JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
    ORDER BY s.recorded_from, s.valid_from, v.document_id, v.char_start, s.statement_id;
