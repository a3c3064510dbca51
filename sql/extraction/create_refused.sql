-- Grain: one refusal: what was read from a chunk and may not be staged, or a chunk that could not be read at all. The id is a
-- function of what was refused, why and where. Input: extraction_found.
CREATE OR REPLACE TEMP TABLE extraction_refused AS
WITH refused AS (
    SELECT f.document_id, f.chunk_id, unnest(CAST(json_extract(f.resolved, '$.rejected') AS JSON[])) AS r
    FROM extraction_found AS f WHERE f.resolved IS NOT NULL AND NOT f.incomplete
), named AS (
    SELECT r.document_id, r.chunk_id, json_extract_string(r.r, '$.reason') AS reason, json_extract_string(r.r, '$.detail') AS detail,
           json_extract_string(r.r, '$.payload') AS payload FROM refused AS r
    UNION
    SELECT f.document_id, f.chunk_id, f.failed_reason, f.failed_detail, f.failed_payload
    FROM extraction_found AS f WHERE f.failed_reason IS NOT NULL AND NOT f.incomplete
)
SELECT DISTINCT unhex(md5(CAST(json_array('extraction', n.reason, n.payload, n.chunk_id) AS VARCHAR))) AS quarantine_id,
       n.document_id AS scope, n.chunk_id AS location, n.reason, min(n.detail) AS detail, n.payload
FROM named AS n GROUP BY n.document_id, n.chunk_id, n.reason, n.payload;
