-- Grain: a row that now has the IRI of another row of its table, by its mapping's `ref`: neither is believed. Input: entities.
UPDATE entities SET problem = 'ambiguous_ref', detail = 'another row of the table has the same ref: ' || ref
WHERE table_name = $table AND problem IS NULL AND key IN (
    SELECT unnest(keys) FROM (
        SELECT list(key) AS keys FROM entities
        WHERE table_name = $table AND problem IS NULL AND last AND polarity = 'assert' GROUP BY ref HAVING count(*) > 1
    ) AS shared
);
