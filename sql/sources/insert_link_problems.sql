-- Grain: a row that is an edge and lacks an end. Inputs: links, stratagraph.rows.
INSERT INTO problems
SELECT 'foreign_key_target_missing',
       concat_ws('; ', CASE WHEN l.subject_target IS NULL THEN $subject_name || ' is NULL' WHEN l.subject IS NULL THEN $subject_name || ': no such row' END,
                       CASE WHEN l.object_target IS NULL THEN $object_name || ' is NULL' WHEN l.object IS NULL THEN $object_name || ': no such row' END),
       r.content, $source || '/' || $table || ' ' || l.source_key, $source || '/' || $table
FROM stratagraph.rows AS r JOIN links AS l ON r.source = $source AND r.table_name = $table AND r.key = l.key AND r.loaded_at = l.loaded_at
WHERE l.last AND l.polarity = 'assert' AND (l.subject IS NULL OR l.object IS NULL);
