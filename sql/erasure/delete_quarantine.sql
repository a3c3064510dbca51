-- Grain: one refusal that mentions what is erased, by id or by name, or came from the erased document or record.
-- Inputs: erased_names, erased_chunks. Parameters: $dataset, $document, $record. A name counts as a whole word only.
DELETE FROM graph.quarantine AS q WHERE q.dataset = $dataset
   AND (coalesce(q.scope = $document OR q.location = $document OR starts_with(q.location, $document || '#'), FALSE)
        OR coalesce(q.location = $record, FALSE)
        OR EXISTS (SELECT 1 FROM erased_chunks AS c WHERE c.chunk_id = q.location)
        OR EXISTS (
            SELECT 1 FROM erased_names AS n
            WHERE regexp_matches(concat_ws(chr(10), q.payload, q.location, q.detail, q.scope),
                                 '(^|\W)' || regexp_escape(n.name) || '($|\W)')))
