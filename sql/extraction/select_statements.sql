-- Grain: one staged statement of a source, in a stable order. Inputs: extraction_statements, $source.
SELECT s.* FROM extraction_statements AS s WHERE s.source = $source
ORDER BY s.document_id, s.kind DESC, s.char_start, s.char_end, s.subject, s.predicate, s.object, s.valid_from, s.polarity;
