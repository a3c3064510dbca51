-- Grain: one row per version of a community report. A report speaks of the moment it was written, so it is valid from then.
-- Input: graph.community_reports.
CREATE OR REPLACE TEMP VIEW community_units AS
    SELECT r.dataset, 3 AS kind_order, 'community' AS kind, r.community_id AS id, r.title || '. ' || r.summary AS text,
           NULL::VARCHAR AS context, 'communities' AS source, NULL::VARCHAR AS document_id, NULL::BIGINT AS position,
           r.input_hash AS content_hash, NULL::VARCHAR AS subject, NULL::VARCHAR AS object,
           r.recorded_from AS valid_from, 'infinity'::TIMESTAMPTZ AS valid_to, r.recorded_from, r.recorded_to
    FROM graph.community_reports AS r;
