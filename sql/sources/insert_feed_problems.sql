-- Grain: a change of a feed that can't be placed: it has no key, or no time. Input: feed_rows.
INSERT INTO stratagraph.refused
SELECT $source, table_name, problem,
       CASE problem WHEN 'null_key' THEN 'a part of the key is NULL'
                    ELSE 'the time of the change is no time: ' || coalesce(time_text, 'NULL') END,
       left(content, 2000), $source || '/' || table_name || ' change ' || (place + 1)
FROM feed_rows WHERE problem IS NOT NULL;
