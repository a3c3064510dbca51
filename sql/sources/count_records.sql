-- Grain: a version that has records, and how many of them have an identifying field ({fields}, JSON text each). Input: {table}, dlt's.
SELECT v.file, count(*) AS number
FROM {table} AS landed JOIN stratagraph.versions AS v ON v.load_id = landed._dlt_load_id AND v.file = landed.version_file
WHERE v.source = $source AND list_contains(CAST($files AS VARCHAR[]), v.file)
  AND len(list_filter(CAST([{fields}] AS VARCHAR[]), lambda field: nullif(json_extract_string(field, '$'), '') IS NOT NULL)) > 0
GROUP BY ALL;
