-- Grain: one row per statement that justifies a node or an edge, as graph.evidence_of gives them. Parameter: $id.
SELECT e.dataset, lower(hex(e.statement_id)) AS statement_id, e.source, e.extractor, e.confidence,
       graph.iso(e.observed_at) AS observed_at, graph.iso(e.valid_from) AS valid_from, graph.iso(e.valid_to) AS valid_to,
       graph.iso(e.recorded_from) AS recorded_from, graph.iso(e.recorded_to) AS recorded_to, e.document_id, e.chunk_id,
       e.char_start, e.char_end, e.quote, e.source_table, e.source_key
FROM graph.evidence_of($id) AS e
ORDER BY e.recorded_from, e.valid_from, e.source, e.document_id, e.char_start, e.source_key, e.statement_id;
