-- Grain: one touched key as a change of all its valid time, whatever changed in it. Input: touched.
SELECT key, FALSE AS is_event, CAST('-infinity' AS TIMESTAMPTZ) AS valid_from, CAST('infinity' AS TIMESTAMPTZ) AS valid_to, TRUE AS stays
FROM touched
