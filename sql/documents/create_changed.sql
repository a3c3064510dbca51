-- Grain: a loaded document whose chunks must be made: it is new, it differs, or the way of cutting changed ($recut). Documents of one
-- batch have about $batch_characters together. Input: landing.
CREATE OR REPLACE TEMP TABLE changed AS
SELECT l.document_id,
       CAST(floor((sum(length(l.text)) OVER (ORDER BY l.document_id) - length(l.text)) / $batch_characters) AS BIGINT) AS batch
FROM landing AS l
WHERE $recut OR NOT EXISTS (
    SELECT 1 FROM graph.documents AS o
    WHERE o.dataset = $dataset AND o.recorded_to = 'infinity' AND o.document_id = l.document_id AND o.content_hash = l.content_hash
);
