-- Grain: one stretch on which two statements of a key cannot both be right, and which one stands. Listed: where what another source holds
-- by itself differs from what stands, and where only the content hash decided. What
-- stands may be a statement of a disjoint relation (it has no value_key). Input: winners, opinions, tied_opinions, candidates, cells.
WITH pairs AS (
    SELECT w.slot, w.cell, w.place AS standing, o.highest AS loser, 'override_between_sources' AS rule
    FROM winners AS w JOIN opinions AS o ON o.slot = w.slot AND o.cell = w.cell AND o.highest <> w.place
    UNION ALL
    SELECT w.slot, w.cell, w.place, o.lowest, 'tie_within_source'
    FROM winners AS w JOIN tied_opinions AS o ON o.slot = w.slot AND o.cell = w.cell AND o.highest = w.place AND o.lowest <> w.place
)
SELECT s.key AS key, s.statement_id AS standing, l.statement_id AS loser,
       CASE WHEN s.value_key IS NULL AND p.rule = 'override_between_sources' THEN 'override_by_disjoint_property' ELSE p.rule END AS rule,
       CASE WHEN s.observed > l.observed THEN 'later observation stands'
            WHEN l.is_event AND NOT s.is_event THEN 'a period stands over an event of the same observation time'
            WHEN s.sequence > l.sequence THEN 'same observation time: higher sequence stands'
            ELSE 'same observation time and sequence: content hash decides' END AS reason,
       c.cell_from AS valid_from, c.cell_to AS valid_to
FROM pairs AS p
JOIN candidates AS s ON s.place = p.standing
JOIN candidates AS l ON l.place = p.loser
JOIN cells AS c ON c.slot = p.slot AND c.cell = p.cell
WHERE l.asserts AND (s.value_key <> l.value_key OR NOT s.asserts)
