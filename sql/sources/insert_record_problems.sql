-- Grain: a record that can't be stated, or an item that can't be an edge. Inputs: records, items.
INSERT INTO problems
SELECT problem, detail, properties, $source || '/' || file || ' record ' || position, $source || '/' || file
FROM records WHERE problem IS NOT NULL
UNION ALL
SELECT problem, detail, CAST(to_json(fields) AS VARCHAR), $source || '/' || file || ' record ' || position || ' item ' || item, $source || '/' || file
FROM items WHERE problem IS NOT NULL;
