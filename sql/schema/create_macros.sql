-- Grain: helpers of readers. iso: an instant as ISO 8601 in UTC, its infinities as they are written in SQL.
CREATE OR REPLACE MACRO graph.iso(instant) AS
    CASE WHEN isinf(instant) THEN CAST(instant AS VARCHAR)
         ELSE regexp_replace(strftime(instant, '%Y-%m-%dT%H:%M:%S.%fZ'), '\.?0*Z$', 'Z') END;
