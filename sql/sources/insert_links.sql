-- Grain: an edge that a row says, or that the last of the rows that said it says no more. Input: links. When a row lets go of a pair
-- that another row still says, that row says it again from then on, with what stands in it.
INSERT INTO edges
WITH steps AS (
    SELECT *, coalesce(lag(says) OVER states, FALSE) AS said_before, lag(subject) OVER states AS subject_before,
           lag(object) OVER states AS object_before, lag(properties) OVER states AS properties_before, lag(fact) OVER states AS fact_before
    FROM links WHERE NOT alone WINDOW states AS (PARTITION BY key ORDER BY loaded_at)
), departures AS (
    SELECT * FROM steps WHERE said_before AND (NOT says OR subject <> subject_before OR object <> object_before)
), standing AS (
    SELECT d.key AS departed, d.loaded_at AS departed_at, d.valid_from AS since, l.*
    FROM departures AS d JOIN links AS l
      ON l.subject = d.subject_before AND l.object = d.object_before AND l.key <> d.key AND l.says
     AND l.valid_from <= d.valid_from AND coalesce(l.until, 'infinity'::TIMESTAMPTZ) > d.valid_from
), said AS (
    SELECT subject, object, fact, properties, source_key, mode, 'assert' AS polarity, valid_from, valid_to, observed_at, sequence
    FROM links WHERE alone AND says
    UNION
    SELECT subject, object, fact, properties, source_key, mode, 'assert', valid_from, valid_to, observed_at, sequence
    FROM steps
    WHERE says AND (NOT said_before OR subject <> subject_before OR object <> object_before OR properties <> properties_before)
    UNION
    SELECT subject, object, fact, properties, source_key, mode, 'assert', since, valid_to, observed_at, sequence FROM standing
    UNION
    SELECT d.subject_before, d.object_before, d.fact_before, d.properties_before, d.source_key, d.mode, 'retract', d.valid_from, d.valid_to,
           CAST(NULL AS TIMESTAMPTZ), d.sequence
    FROM departures AS d LEFT JOIN (SELECT DISTINCT departed, departed_at FROM standing) AS s
      ON s.departed = d.key AND s.departed_at = d.loaded_at
    WHERE s.departed IS NULL
)
SELECT $place, row_number() OVER (ORDER BY subject, object, source_key, valid_from, polarity, properties), $table, subject, $predicate,
       object, fact, properties, source_key, mode, polarity, valid_from, valid_to, observed_at, sequence
FROM said;
