-- Grain: one maximal valid-time segment with one value (canonical form, design section 4, rule 4). Input: islands, contests.
WITH winners AS (
    SELECT dataset, key_kind, k1, k2, k3, key_at, valid_from, claim_to AS valid_to, polarity, predicate, object_node, text, properties,
           value_hash, confidence FROM islands WHERE island_size = 1
    UNION ALL
    SELECT dataset, key_kind, k1, k2, k3, key_at, cell_from, cell_to, polarity, predicate, object_node, text, properties, value_hash,
           confidence FROM contests WHERE place = 1
), held AS (
    SELECT *, lag(valid_to) OVER key_order AS previous_to, lag(value_hash) OVER key_order AS previous_hash,
           lag(object_node) OVER key_order AS previous_object
    FROM winners WHERE polarity = 'assert'
    WINDOW key_order AS (PARTITION BY dataset, key_kind, k1, k2, k3 ORDER BY valid_from)
), runs AS (
    SELECT *, sum(CASE WHEN previous_to = valid_from AND previous_hash = value_hash
                            AND previous_object IS NOT DISTINCT FROM object_node THEN 0 ELSE 1 END)
        OVER (PARTITION BY dataset, key_kind, k1, k2, k3 ORDER BY valid_from ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
    FROM held
), segments AS (
    SELECT dataset, key_kind, k1, k2, k3, run, any_value(key_at) AS key_at, min(valid_from) AS valid_from, max(valid_to) AS valid_to,
           any_value(predicate) AS predicate, any_value(object_node) AS object, any_value(text) AS text,
           any_value(properties) AS properties, any_value(value_hash) AS value_hash, max(confidence) AS confidence
    FROM runs GROUP BY dataset, key_kind, k1, k2, k3, run
)
SELECT * EXCLUDE (run),
       unhex(md5(CAST(to_json([dataset, key_kind, k1, k2, object, hex(value_hash), CAST(valid_from AS VARCHAR),
                               CAST(valid_to AS VARCHAR)]) AS VARCHAR))) AS content_hash,
       CASE key_kind WHEN 'node' THEN k1
            ELSE 'urn:stratagraph:edge:' || md5(CAST(to_json([dataset, k1, k2, object]) AS VARCHAR)) END AS row_id
FROM segments
