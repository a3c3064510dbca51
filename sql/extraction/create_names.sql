-- Grain: one name of a thing that a relational source or file names, by its class; key: its words as they are compared, head: the first
-- one or two of them. A name of one letter, of digits alone, of more than $longest words, or one of the words
-- $common (customer IT, whom every text would name), is looked for in no text.
-- Inputs: graph.statements, extraction_staged_names (of rows that are staged and not committed), $replaced (sources that those state
-- anew), $dataset, $classes (of the ontology), $common, $longest.
CREATE OR REPLACE TEMP TABLE extraction_names AS
WITH classes AS (
    SELECT unnest($classes) AS class
), said AS (
    SELECT s.predicate AS class, s.value ->> '$.label' AS name
    FROM graph.statements AS s SEMI JOIN classes AS c ON c.class = s.predicate
    WHERE s.dataset = $dataset AND s.kind = 'node' AND s.extractor = 'rows' AND s.polarity = 'assert' AND s.recorded_to = 'infinity'
      AND NOT list_contains($replaced, s.source)
    UNION
    SELECT n.class, n.name FROM extraction_staged_names AS n SEMI JOIN classes AS c ON c.class = n.class
), split AS (
    SELECT class, name, name_units(name) AS units FROM said WHERE name IS NOT NULL
), keyed AS (
    SELECT class, name, array_to_string(units, ' ') AS key, array_to_string(units[1:2], ' ') AS head, len(units) AS words
    FROM split WHERE len(units) BETWEEN 1 AND $longest
)
SELECT class, min(name) AS name, key, head, words FROM keyed
WHERE length(replace(key, ' ', '')) > 1 AND NOT regexp_full_match(key, '[\p{N} ]+') AND NOT list_contains($common, key)
GROUP BY class, key, head, words;
