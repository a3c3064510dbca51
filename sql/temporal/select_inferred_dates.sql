-- Grain: one open inferred row of a touched inferred relation, with the time of its change. Input: current_inferred.
SELECT dataset, row_id, content_hash, key_at FROM current_inferred
