-- Grain: a value that its property does not allow; the rest of its row is said. Input: entities.
INSERT INTO problems
SELECT 'datatype', (v ->> 'column') || ': ' || (v ->> 'axiom') || ', not ' || CAST(v -> 'value' AS VARCHAR),
       CAST(json_object(v ->> 'column', v -> 'value') AS VARCHAR), $source || '/' || table_name || ' ' || source_key,
       $source || '/' || table_name
FROM (SELECT table_name, source_key, unnest(CAST(refused AS JSON[])) AS v FROM entities WHERE problem IS NULL AND refused IS NOT NULL) AS found;
