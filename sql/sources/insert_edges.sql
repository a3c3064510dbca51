-- Grain: what one foreign key of each row refers to. Input: entities. A NULL in the key is no reference. A row that is missing
-- is still referred to where its IRI follows from the key ($dangling_names: its primary key, $dangling_parts: positions in $columns).
-- Where a row has several states, a reference that ends is retracted and one that stays is not said again.
INSERT INTO edges
WITH targets AS (
    SELECT target, arg_max({'ref': ref, 'label': label}, {'loaded_at': loaded_at, 'ref': ref}) AS found
    FROM (SELECT *, json_extract_string(content, CAST($referenced_columns AS VARCHAR[])) AS target
          FROM entities WHERE table_name = $referenced_table AND problem IS NULL) AS referenced
    GROUP BY target
), keyed AS (
    SELECT key, loaded_at, ref, label, source_key, mode, polarity, valid_from, valid_to,
           json_extract_string(content, CAST($columns AS VARCHAR[])) AS parts
    FROM entities WHERE table_name = $table AND problem IS NULL
), whole AS (
    SELECT *, CASE WHEN len(list_filter(parts, lambda part: part IS NULL)) = 0 THEN parts END AS target FROM keyed
), resolved AS (
    SELECT w.*, coalesce(t.found.ref, CASE WHEN w.target IS NOT NULL AND len(CAST($dangling_parts AS BIGINT[])) > 0
               THEN $dangling_prefix || key_path(CAST($dangling_names AS VARCHAR[]),
                    list_transform(CAST($dangling_parts AS BIGINT[]), lambda i: w.target[i])) END) AS object,
           coalesce(t.found.label, $referenced_table || ' ' || array_to_string(w.target, ' ')) AS object_label
    FROM whole AS w LEFT JOIN targets AS t ON t.target = w.target
), steps AS (
    SELECT *, lag(CASE WHEN polarity = 'assert' THEN object END) OVER (PARTITION BY key ORDER BY loaded_at) AS object_before,
           lag(object_label) OVER (PARTITION BY key ORDER BY loaded_at) AS label_before
    FROM resolved
), said AS (
    SELECT *, 'assert' AS says, object AS refers_to, object_label AS refers_to_label FROM steps
    WHERE polarity = 'assert' AND object IS NOT NULL AND object_before IS DISTINCT FROM object
    UNION ALL
    SELECT *, 'retract', object_before, label_before FROM steps
    WHERE object_before IS NOT NULL AND (polarity = 'retract' OR object IS DISTINCT FROM object_before)
)
SELECT $table, ref, $predicate, refers_to, squeeze(concat_ws(' ', label, $words, refers_to_label)), source_key, mode, says,
       valid_from, valid_to
FROM said;
