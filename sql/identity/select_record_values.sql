-- Grain: one value of a field of a record, as it is compared. Input: record_fields (record, field, kind: name, alias, value or ref, value).
-- form: number; code (a date, a phone, a long number: its digits); ref (an entity); text (its normalised words). What is empty says nothing.
WITH cleaned AS (
    SELECT DISTINCT record, field, kind, value AS written,
           trim(regexp_replace(regexp_replace(value, '[\s\\]+[''’]s\b', '’s', 'g'), '[\s"`“”]+', ' ', 'g'), ' ''‘’') AS value
    FROM record_fields
), typed AS (
    SELECT *, CASE
        WHEN kind = 'ref' THEN 'ref'
        WHEN kind IN ('name', 'alias') THEN 'name'
        WHEN regexp_full_match(value, '\d{4}-\d{2}-\d{2}([T ].*)?') THEN 'date'
        WHEN regexp_full_match(value, '[-+]?\d{1,6}([.]\d+)? ?%?') AND NOT regexp_matches(value, '^0\d') THEN 'number'
        WHEN regexp_full_match(value, '[+(]?\d[-\d ()/.]*') AND length(regexp_replace(value, '\D', '', 'g')) >= 5 THEN 'code'
        ELSE 'text' END AS form
    FROM cleaned
), compared AS (
    SELECT record, field, kind = 'alias' AS alias, CASE form WHEN 'date' THEN 'code' ELSE form END AS form, CASE form
        WHEN 'ref' THEN written
        WHEN 'date' THEN regexp_replace(left(value, 10), '\D', '', 'g')
        WHEN 'number' THEN CAST(CAST(regexp_replace(value, '[ %+]', '', 'g') AS DOUBLE) AS VARCHAR)
        WHEN 'code' THEN regexp_replace(value, '\D', '', 'g')
        ELSE normalise_name(value) END AS text
    FROM typed
)
SELECT record, field, form, text, bool_or(alias) AS alias, dense_rank() OVER (ORDER BY field, form, text) AS value
FROM compared WHERE text <> '' GROUP BY record, field, form, text
