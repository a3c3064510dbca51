-- Grain: what one foreign key of each row refers to. Inputs: entities, targets. A NULL in the key is no reference. A row that is
-- missing is still referred to where its IRI follows from the key ({dangling}). Where a row has several states, a reference that
-- ends is retracted and one that stays is not said again.
INSERT INTO edges
WITH keyed AS NOT MATERIALIZED (
    SELECT number, key, loaded_at, ref, label, source_key, mode, polarity, valid_from, valid_to, observed_at, sequence, alone, parts, {target} AS target
    FROM entities WHERE table_name = $table AND problem IS NULL
), resolved AS NOT MATERIALIZED (
    SELECT k.*, coalesce(t.ref, {dangling}) AS object, coalesce(t.label, $referenced_table || ' ' || {target_text}) AS object_label,
           concat_ws(' ', k.label, $words, coalesce(t.label, $referenced_table || ' ' || {target_text})) AS fact
    FROM keyed AS k LEFT JOIN targets AS t ON t.target = k.target
), steps AS (
    SELECT *, lag(CASE WHEN polarity = 'assert' THEN object END) OVER (PARTITION BY key ORDER BY loaded_at) AS object_before,
           lag(object_label) OVER (PARTITION BY key ORDER BY loaded_at) AS label_before
    FROM resolved WHERE NOT alone
), changed AS (
    SELECT *, 'assert' AS says, object AS refers_to, object_label AS refers_to_label FROM steps
    WHERE polarity = 'assert' AND object IS NOT NULL AND object_before IS DISTINCT FROM object
    UNION ALL
    SELECT *, 'retract', object_before, label_before FROM steps
    WHERE object_before IS NOT NULL AND (polarity = 'retract' OR object IS DISTINCT FROM object_before)
)
SELECT $place, 2 * number, $table, ref, $predicate, object, squeeze(fact), '{}', source_key, mode, 'assert', valid_from, valid_to,
       observed_at, sequence
FROM resolved WHERE alone AND polarity = 'assert' AND object IS NOT NULL
UNION ALL
SELECT $place, 2 * number + CASE says WHEN 'retract' THEN 1 ELSE 0 END, $table, ref, $predicate, refers_to,
       squeeze(concat_ws(' ', label, $words, refers_to_label)), '{}', source_key, mode, says, valid_from, valid_to,
       CASE says WHEN 'assert' THEN observed_at END, sequence
FROM changed;
