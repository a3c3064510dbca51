-- Grain: one key that the rest of the log must be asked about again, because something said of it went, or stood elsewhere for a
-- time. Inputs: erased_statements, moved_statements, all of identities (with what goes), rules, erased_refs.
-- A ref's node may have changed, so a statement counts for every node that its ends ever stood for.
WITH stood AS (
    SELECT ref, node_id FROM graph.identities WHERE dataset = $dataset
), spoken AS (
    SELECT kind, subject, predicate, object, facet FROM erased_statements
    UNION SELECT kind, subject, predicate, object, facet FROM moved_statements
), subjects AS (
    SELECT s.*, s.subject AS k1 FROM spoken AS s UNION SELECT s.*, i.node_id FROM spoken AS s JOIN stood AS i ON i.ref = s.subject
), ends AS (
    SELECT s.*, s.object AS k3 FROM subjects AS s UNION SELECT s.*, i.node_id FROM subjects AS s JOIN stood AS i ON i.ref = s.object
), keyed AS (
    SELECT e.kind AS kind, e.k1, CASE e.kind WHEN 'node' THEN e.facet ELSE e.predicate END AS k2,
           CASE WHEN e.kind = 'node' OR coalesce(r.single_valued, FALSE) THEN '' ELSE e.k3 END AS k3
    FROM ends AS e LEFT JOIN rules AS r ON r.predicate = e.predicate AND r.dataset = $dataset
)
SELECT DISTINCT $dataset AS dataset, k.kind, k.k1, k.k2, k.k3 FROM keyed AS k
LEFT JOIN erased_refs AS a ON a.ref = k.k1
LEFT JOIN erased_refs AS b ON b.ref = k.k3
WHERE a.ref IS NULL AND b.ref IS NULL
