-- Grain: one row: the last transaction time of candidates. Input: graph.identity_candidates.
SELECT max(recorded_from) AS last FROM graph.identity_candidates
