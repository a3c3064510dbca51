-- Grain: one remaining row of identities that began or ended since $first. Input: graph.identities.
SELECT i.* FROM graph.identities AS i
WHERE i.dataset = $dataset AND (i.recorded_from >= CAST($first AS TIMESTAMPTZ)
                                OR (i.recorded_to >= CAST($first AS TIMESTAMPTZ) AND i.recorded_to < 'infinity'))
