-- Grain: a row of the row log (stratagraph.rows of the landing file) whose record is erased, with the values of its primary key.
-- Inputs: stratagraph.rows, stratagraph.identifiers, tombstones (registered), macros of layer sources. Parameter: $secret.
CREATE OR REPLACE TEMP TABLE erased_rows AS
WITH keyed AS (
    SELECT r.source, r.table_name, r.key, r.loaded_at, r.content, coalesce(i.columns, CAST([] AS VARCHAR[])) AS columns
    FROM stratagraph.rows AS r
    LEFT JOIN (SELECT * FROM stratagraph.identifiers WHERE kind = 'primary') AS i ON i.source = r.source AND i.table_name = r.table_name
), cells AS (
    SELECT k.*, list_transform(k.columns, lambda c: json_extract(k.content, '/' || replace(replace(c, '~', '~0'), '/', '~1'))) AS cells
    FROM keyed AS k
), placed AS (
    SELECT c.*, c.source || '/' || c.table_name || ' ' || CASE
               WHEN json_extract_string(c.key, '$[0]') = '#' AND len(c.columns) = 0
                   THEN json_object('row', json_extract_string(c.key, '$[1]'), 'occurrence', json_extract(c.key, '$[2]'))
               ELSE object_of(list_transform(c.columns, lambda n: CAST(to_json(n) AS VARCHAR)), c.cells) END AS place
    FROM cells AS c
)
SELECT p.source, p.table_name, p.key, list_transform(p.cells, lambda c: json_extract_string(c, '$')) AS parts FROM placed AS p
JOIN tombstones AS t ON t.kind IN ('row', 'record') AND t.token = token_of($secret, t.kind, p.place);
