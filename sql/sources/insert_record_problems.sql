-- Grain: a record without an identifying key, or an item that can't be an edge. Inputs: records, items.
INSERT INTO problems
SELECT 'no_identifying_key', 'none of the identifying fields is present', properties, $source || '/' || file || ' record ' || position, $source || '/' || file
FROM records WHERE ref IS NULL
UNION ALL
SELECT problem, detail, CAST(to_json(fields) AS VARCHAR), $source || '/' || file || ' record ' || position || ' item ' || item, $source || '/' || file
FROM items WHERE problem IS NOT NULL;
