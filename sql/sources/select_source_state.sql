-- Grain: a source that was loaded, with what its last load found: tables with their columns, keys and references, versions. Lists are in
-- order of name, columns in their own; a table of a recorded source has no count, since its rows are those of all versions.
WITH landed AS (
    SELECT source, table_name, any_value(landing_schema || '.' || landing_table) AS landed_as,
        list({'name': column_name, 'type': type} ORDER BY position, column_name) AS columns
    FROM stratagraph.columns WHERE source = $source AND present GROUP BY source, table_name
), keys AS (
    SELECT table_name, list({'kind': kind, 'columns': columns} ORDER BY kind, columns) AS keys
    FROM stratagraph.identifiers WHERE source = $source GROUP BY table_name
), refs AS (
    SELECT table_name, list(
        {'columns': columns, 'table': referenced_table, 'referenced': referenced_columns, 'origin': origin}
        ORDER BY columns, referenced_table, referenced_columns
    ) AS refs
    FROM stratagraph.foreign_keys WHERE source = $source GROUP BY table_name
), found AS (
    SELECT l.source, list(
        {
            'name': l.table_name, 'landed_as': l.landed_as, 'rows': t.row_count, 'columns': l.columns,
            'keys': coalesce(k.keys, []), 'references': coalesce(r.refs, [])
        } ORDER BY l.table_name
    ) AS tables
    FROM landed AS l
    LEFT JOIN stratagraph.tables AS t ON t.source = l.source AND t.table_name = l.table_name
    LEFT JOIN keys AS k ON k.table_name = l.table_name
    LEFT JOIN refs AS r ON r.table_name = l.table_name
    WHERE coalesce(t.present, true)
    GROUP BY l.source
), versions AS (
    SELECT source, list({'name': file, 'state': state, 'detail': detail, 'rows': record_count} ORDER BY recorded_at) AS versions
    FROM stratagraph.versions WHERE source = $source GROUP BY source
)
SELECT CAST(to_json({
    'kind': d.kind, 'loaded_at': strftime(d.loaded_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'), 'rows': d.row_count,
    'tables': coalesce(f.tables, []), 'versions': coalesce(v.versions, [])
}) AS VARCHAR)
FROM stratagraph.loads AS d
LEFT JOIN found AS f ON f.source = d.source
LEFT JOIN versions AS v ON v.source = d.source
WHERE d.source = $source;
