-- Grain: two values of identifying keys of one record of one version ($file): the one it is known by, and another. Input: records.
SELECT DISTINCT $dataset AS dataset, ref, keys[1].name AS ref_key, refs[i] AS alias, keys[i].name AS alias_key, 'key' AS method
FROM (SELECT ref, refs, keys, unnest(range(2, len(refs) + 1)) AS i FROM records WHERE file = $file AND problem IS NULL)
ORDER BY ref, alias_key, alias;
