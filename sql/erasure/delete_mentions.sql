-- Grain: one place in a text that names the erased entity, or that stands in the erased document. Input: erased_refs.
DELETE FROM graph.mentions AS m WHERE m.dataset = $dataset
   AND (coalesce(m.document_id = $document, FALSE) OR EXISTS (SELECT 1 FROM erased_refs AS r WHERE r.ref = m.ref))
