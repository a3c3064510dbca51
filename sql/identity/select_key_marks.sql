-- Grain: one value that identifies a node: of an ontology's key (all its properties together), or its being a record of a table.
-- Inputs: record_fields, record_classes, record_facets, ontology_keys (class, key_name, property, parts).
-- Parameters: $keyed_facets, the tables whose keys a user declared to identify; $no_value, what stands for no value ('n a').
WITH keyed AS (
    SELECT DISTINCT c.record AS record, k.key_name AS key_name, k.property AS property, k.parts AS parts
    FROM record_classes AS c JOIN ontology_keys AS k ON k.class = c.class
), parts AS (
    SELECT k.record, k.key_name, k.parts, k.property, CASE f.kind WHEN 'ref' THEN f.value ELSE normalise_name(f.value) END AS value
    FROM keyed AS k JOIN record_fields AS f ON f.record = k.record AND f.field IN (k.property, '>' || k.property)
    WHERE f.kind <> 'name' AND (f.kind = 'ref' OR NOT list_contains($no_value, normalise_name(f.value)))
), wholes AS (
    SELECT record, key_name, parts, CAST(to_json(list([property, value] ORDER BY property, value)) AS VARCHAR) AS value,
           count(DISTINCT property) AS given
    FROM parts WHERE parts > 1 AND value <> '' GROUP BY record, key_name, parts
)
SELECT record, key_name, value, 'ontology' AS origin FROM wholes WHERE given = parts
UNION
SELECT record, key_name, value, 'ontology' FROM parts WHERE parts = 1 AND value <> ''
UNION
SELECT record, 'table ' || facet, record, CASE WHEN list_contains($keyed_facets, facet) THEN 'keyed_table' ELSE 'table' END FROM record_facets
