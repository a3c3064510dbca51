-- Grain: a documents source that has or had documents, with a hash of what its nodes are made of and of how often it changed.
-- The number of rows ever written and closed is part of it: a source that returns to an earlier state is a new batch.
SELECT d.source,
       md5(coalesce(string_agg(md5(CAST(json_array(d.document_id, d.title, d.language, epoch_us(d.reference_time)) AS VARCHAR)), ''
                               ORDER BY d.document_id) FILTER (WHERE d.recorded_to = 'infinity'), '')) AS content,
       count(*) AS written, count(*) FILTER (WHERE d.recorded_to < 'infinity') AS closed
FROM graph.documents AS d WHERE d.dataset = $dataset
GROUP BY d.source ORDER BY d.source
