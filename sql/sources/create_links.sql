-- Grain: a row (a state of it) of a table whose rows are edges, with both its ends; one that is not found is NULL. Inputs: entities,
-- targets (what the subject may be), object_targets. says: whether it says an edge. until: when its next state begins.
CREATE OR REPLACE TEMP TABLE links AS
WITH keyed AS (
    SELECT key, loaded_at, source_key, mode, polarity, valid_from, valid_to, observed_at, sequence, alone, last, properties, parts,
           {subject} AS subject_target, {object} AS object_target
    FROM entities WHERE table_name = $table AND problem IS NULL
), found AS (
    SELECT k.* EXCLUDE (parts), coalesce(s.ref, {subject_dangling}) AS subject, coalesce(o.ref, {object_dangling}) AS object,
           squeeze(concat_ws(' ', coalesce(s.label, $subject_table || ' ' || {subject_text}), $words,
                             coalesce(o.label, $object_table || ' ' || {object_text}))) AS fact
    FROM keyed AS k
    LEFT JOIN targets AS s ON s.target = k.subject_target
    LEFT JOIN object_targets AS o ON o.target = k.object_target
)
SELECT *, polarity = 'assert' AND subject IS NOT NULL AND object IS NOT NULL AS says,
       CASE WHEN NOT alone THEN lead(valid_from) OVER (PARTITION BY key ORDER BY loaded_at) END AS until
FROM found;
