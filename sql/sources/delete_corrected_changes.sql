-- Grain: a change that a feed now tells otherwise: the same row, the same time. Input: feed_rows.
DELETE FROM stratagraph.rows AS r USING feed_rows AS f
WHERE r.source = $source AND r.table_name = f.table_name AND r.key = f.key AND r.loaded_at = f.moment AND f.problem IS NULL
  AND (r.content IS DISTINCT FROM f.content OR r.present IS DISTINCT FROM f.present);
