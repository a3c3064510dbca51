-- Grain: a field that a version of a recorded source has and the accepted one before it had not, or the other way round, or that it
-- calls by another name (before, after). seen_at: the time of the version.
INSERT INTO stratagraph.schema_changes BY NAME
WITH steps AS (
    SELECT recorded_at, fields, renamed, lag(fields) OVER older AS fields_before, lag(renamed) OVER older AS renamed_before
    FROM stratagraph.versions WHERE source = $source AND state = 'accepted' AND fields IS NOT NULL
    WINDOW older AS (ORDER BY recorded_at, file)
), names AS (
    SELECT *, unnest(list_distinct(list_concat(fields, fields_before))) AS place FROM steps
    WHERE fields <> fields_before OR renamed <> renamed_before
), fields AS (
    SELECT *, string_split(place, chr(9))[1] AS table_name, string_split(place, chr(9))[2] AS field FROM names
), headings AS (
    SELECT *, CASE WHEN table_name = 'record' THEN coalesce(renamed[field], field) ELSE field END AS heading,
           CASE WHEN table_name = 'record' THEN coalesce(renamed_before[field], field) ELSE field END AS heading_before
    FROM fields
), changed AS (
    SELECT *, CASE WHEN NOT list_contains(fields_before, place) THEN 'added' WHEN NOT list_contains(fields, place) THEN 'dropped'
                   WHEN heading <> heading_before THEN 'renamed' END AS change
    FROM headings
)
SELECT $source AS source, table_name, field AS column_name, change, CASE WHEN change = 'renamed' THEN heading_before END AS before,
       CASE WHEN change = 'renamed' THEN heading END AS after, recorded_at AS seen_at
FROM changed WHERE change IS NOT NULL ORDER BY seen_at, table_name, column_name;
