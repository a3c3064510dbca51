-- Grain: one candidate that nothing but its content hash tells from another of its source with another value, in a numbered tie.
-- Input: candidates.
WITH ties AS (
    SELECT slot, source, observed, is_event, sequence FROM candidates GROUP BY slot, source, observed, is_event, sequence
    HAVING min(value_key) <> max(value_key) OR (bool_or(asserts) AND NOT bool_and(asserts))
), numbered AS (
    SELECT row_number() OVER () AS tie, t.* FROM ties AS t
)
SELECT c.slot AS slot, c.place AS place, c.claim_from AS claim_from, c.claim_to AS claim_to, n.tie AS tie
FROM candidates AS c
JOIN numbered AS n ON n.slot = c.slot AND n.source = c.source AND n.observed = c.observed AND n.is_event = c.is_event
    AND n.sequence = c.sequence
