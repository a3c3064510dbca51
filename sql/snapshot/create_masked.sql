-- Grain: session-local views of the rows that the content hash is made of. Transaction times that a recorded source brought
-- count; those the store's clock assigned become 'store', so that two runs at different moments agree.
-- Inputs: graph.runs and the hashed tables.
CREATE OR REPLACE TEMP VIEW recorded_instants AS
    SELECT DISTINCT r.recorded_at FROM graph.runs AS r WHERE r.clock = 'recorded';
CREATE OR REPLACE TEMP MACRO masked(instant) AS
    CASE WHEN isinf(instant) OR instant IN (SELECT recorded_at FROM recorded_instants) THEN CAST(instant AS VARCHAR) ELSE 'store' END;
CREATE OR REPLACE TEMP VIEW masked_rows AS
    SELECT 'nodes' AS part, n.recorded_to = 'infinity' AS open, to_json([n.dataset, n.node_id, n.facet, n.class, n.label, n.properties,
        CAST(n.valid_from AS VARCHAR), CAST(n.valid_to AS VARCHAR), masked(n.recorded_from), masked(n.recorded_to),
        CAST(n.confidence AS VARCHAR)]) AS content FROM graph.nodes AS n
    UNION ALL
    SELECT 'edges', e.recorded_to = 'infinity', to_json([e.dataset, e.edge_id, e.subject, e.predicate, e.object, e.fact, e.properties,
        e.origin, CAST(e.valid_from AS VARCHAR), CAST(e.valid_to AS VARCHAR), masked(e.recorded_from), masked(e.recorded_to),
        CAST(e.confidence AS VARCHAR)]) FROM graph.edges AS e
    UNION ALL
    SELECT 'statements', s.recorded_to = 'infinity', to_json([s.dataset, hex(s.statement_id), s.kind, s.subject, s.predicate, s.object,
        s.value, s.facet, s.mode, s.polarity, CAST(s.valid_from AS VARCHAR), CAST(s.valid_to AS VARCHAR),
        CAST(s.observed_at AS VARCHAR), CAST(s.sequence AS VARCHAR), s.source, s.scope, s.extractor,
        CAST(s.confidence AS VARCHAR), masked(s.recorded_from), masked(s.recorded_to)]) FROM graph.statements AS s
    UNION ALL
    SELECT 'identities', i.recorded_to = 'infinity', to_json([i.dataset, i.ref, i.node_id, i.method, CAST(i.score AS VARCHAR), i.reason,
        masked(i.recorded_from), masked(i.recorded_to)]) FROM graph.identities AS i
    UNION ALL
    SELECT 'documents', d.recorded_to = 'infinity', to_json([d.dataset, d.document_id, d.source, d.title, d.kind, d.language,
        CAST(d.reference_time AS VARCHAR), d.text, masked(d.recorded_from), masked(d.recorded_to)]) FROM graph.documents AS d
    UNION ALL
    SELECT 'chunks', c.recorded_to = 'infinity', to_json([c.dataset, c.chunk_id, c.document_id, CAST(c.position AS VARCHAR),
        CAST(c.char_start AS VARCHAR), CAST(c.char_end AS VARCHAR), c.text, c.speaker, CAST(c.reference_time AS VARCHAR),
        masked(c.recorded_from), masked(c.recorded_to)]) FROM graph.chunks AS c
    UNION ALL
    SELECT 'communities', m.recorded_to = 'infinity', to_json([m.dataset, m.community_id, CAST(m.level AS VARCHAR), m.parent_id,
        CAST(m.member_count AS VARCHAR), CAST(m.edge_count AS VARCHAR), masked(m.recorded_from), masked(m.recorded_to)])
    FROM graph.communities AS m;
