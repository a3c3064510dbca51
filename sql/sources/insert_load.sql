-- Grain: the load of a source that just ended; its fingerprints are sums over rows, so that their order does not matter.
INSERT INTO stratagraph.loads
WITH marked AS (
    SELECT concat_ws('|', to_json(table_name), key, content) AS said, epoch_us(loaded_at) AS moment, present,
           row_number() OVER (PARTITION BY table_name, key ORDER BY loaded_at DESC) = 1 AS latest
    FROM stratagraph.rows WHERE source = $source
), hashed AS (
    SELECT present AND latest AS now_true, true AS row_of_table, md5(said) AS content, md5(concat_ws('|', said, moment, present)) AS history
    FROM marked
    UNION ALL
    SELECT true, false, md5(said), md5(said)
    FROM (SELECT concat_ws('|', to_json(table_name), reason, location, payload) AS said FROM stratagraph.refused WHERE source = $source)
)
SELECT $source, $kind, $input_fingerprint,
       concat_ws('.', count(*) FILTER (WHERE now_true), sum(md5_number_lower(content)) FILTER (WHERE now_true),
                 sum(md5_number_upper(content)) FILTER (WHERE now_true)),
       concat_ws('.', count(*), sum(md5_number_lower(history)), sum(md5_number_upper(history))),
       $loaded_at, $tables, count(*) FILTER (WHERE now_true AND row_of_table)
FROM hashed;
