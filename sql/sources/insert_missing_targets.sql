-- Grain: a row whose foreign key finds no row, and whose target has no IRI for want of one. Inputs: entities, targets, stratagraph.rows.
INSERT INTO problems
WITH keyed AS (
    SELECT key, loaded_at, source_key, {target} AS target
    FROM entities WHERE table_name = $table AND problem IS NULL AND last AND polarity = 'assert'
), missing AS (
    SELECT k.* FROM keyed AS k LEFT JOIN targets AS t ON t.target = k.target WHERE k.target IS NOT NULL AND t.target IS NULL
)
SELECT 'foreign_key_target_missing', $name || ': no such row', r.content, $source || '/' || $table || ' ' || m.source_key, $source || '/' || $table
FROM stratagraph.rows AS r JOIN missing AS m ON r.source = $source AND r.table_name = $table AND r.key = m.key AND r.loaded_at = m.loaded_at;
