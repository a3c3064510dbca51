-- Grain: a row of the row log (stratagraph.rows of the landing file) whose record is erased, or an item of a list in one. parts: the values
-- of its primary key; NULL for a row without one, and for an item, which only its key in the log tells apart.
-- Inputs: stratagraph.rows, stratagraph.tables, stratagraph.identifiers, tombstones (registered), macros of layer sources. Parameter: $secret.
CREATE OR REPLACE TEMP TABLE erased_rows AS
WITH keyed AS (
    SELECT r.source, r.table_name, r.key, coalesce(t.path[1], r.table_name) AS root, coalesce(t.path[2:], CAST([] AS VARCHAR[])) AS lists,
           i.columns IS NOT NULL AS keyed, coalesce(i.columns, ['row', 'occurrence']) AS names,
           CASE WHEN i.columns IS NULL THEN json_extract(r.key, '$[*]')[2:] ELSE json_extract(r.key, '$[*]') END AS cells
    FROM stratagraph.rows AS r
    LEFT JOIN stratagraph.tables AS t ON t.source = r.source AND t.table_name = r.table_name
    LEFT JOIN (SELECT * FROM stratagraph.identifiers WHERE kind = 'primary') AS i
        ON i.source = r.source AND i.table_name = coalesce(t.path[1], r.table_name)
), placed AS (
    SELECT *, source || '/' || table_name || ' '
              || object_of(list_transform(list_concat(names, lists), lambda n: CAST(to_json(n) AS VARCHAR)), cells) AS place,
           source || '/' || root || ' ' || object_of(list_transform(names, lambda n: CAST(to_json(n) AS VARCHAR)), cells[:len(names)]) AS root_place
    FROM keyed
), candidates AS (
    SELECT source, table_name, key, keyed, lists, cells,
           unnest([token_of($secret, 'row', place), token_of($secret, 'record', place), token_of($secret, 'row', root_place),
                   token_of($secret, 'record', root_place)]) AS token
    FROM placed
)
SELECT DISTINCT source, table_name, key,
       CASE WHEN keyed AND len(lists) = 0 THEN list_transform(cells, lambda c: json_extract_string(c, '$')) END AS parts
FROM candidates JOIN (SELECT token FROM tombstones WHERE kind IN ('row', 'record')) AS t USING (token);
