-- Grain: one candidate that the model is to be asked about, with what both nodes say as JSON; none that rules exclude.
-- Inputs: graph.identity_candidates, graph.nodes_open, record_fields, record_classes. Parameter: $dataset.
WITH waiting AS (
    SELECT a, b, score, evidence, content_hash FROM graph.identity_candidates
    WHERE dataset = $dataset AND recorded_to = 'infinity' AND decision = 'open' AND judge = 'rules' AND NOT starts_with(reason, 'ambiguous')
), records AS (
    SELECT a AS record FROM waiting UNION SELECT b FROM waiting
), labels AS (
    SELECT node_id, min(label) AS label FROM graph.nodes_open WHERE dataset = $dataset GROUP BY node_id
), names AS (
    SELECT f.record, list(DISTINCT f.value ORDER BY f.value) AS names FROM record_fields AS f JOIN records AS r ON r.record = f.record
    WHERE f.kind IN ('name', 'alias') GROUP BY f.record
), kinds AS (
    SELECT c.record, list_sort(list(DISTINCT regexp_extract(c.class, '[^#/:]+$'))) AS classes
    FROM record_classes AS c JOIN records AS r ON r.record = c.record GROUP BY c.record
), says AS (
    SELECT f.record, list_sort(list(DISTINCT [CASE WHEN starts_with(f.field, '<') THEN 'is the ' ELSE '' END || regexp_extract(f.field, '[^#/:]+$')
               || CASE WHEN starts_with(f.field, '<') THEN ' of' ELSE '' END,
           CASE f.kind WHEN 'ref' THEN coalesce(l.label, '') ELSE f.value END])) AS says
    FROM record_fields AS f JOIN records AS r ON r.record = f.record
    LEFT JOIN labels AS l ON l.node_id = f.value
    WHERE f.kind IN ('value', 'ref') GROUP BY f.record
), described AS (
    SELECT r.record, {'names': n.names, 'classes': k.classes, 'says': list_slice(s.says, 1, 40)} AS content
    FROM records AS r
    LEFT JOIN names AS n ON n.record = r.record
    LEFT JOIN kinds AS k ON k.record = r.record
    LEFT JOIN says AS s ON s.record = r.record
)
SELECT w.a AS a, w.b AS b, w.score AS score, w.evidence AS evidence, w.content_hash AS content_hash,
       CAST(to_json({'one': x.content, 'other': y.content}) AS VARCHAR) AS question
FROM waiting AS w
JOIN described AS x ON x.record = w.a
JOIN described AS y ON y.record = w.b
ORDER BY w.a, w.b
