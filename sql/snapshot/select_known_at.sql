-- Grain: one row, the greatest transaction time in the warehouse (1970 if it is empty). Inputs: every table of belief.
WITH instants AS (
    SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) AS t FROM graph.statements
    UNION ALL SELECT max(recorded_from) FROM graph.nodes_open
    UNION ALL SELECT max(greatest(recorded_from, recorded_to)) FROM graph.nodes_closed
    UNION ALL SELECT max(recorded_from) FROM graph.edges_open
    UNION ALL SELECT max(greatest(recorded_from, recorded_to)) FROM graph.edges_closed
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.support
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.identities
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.conflicts
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.documents
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.chunks
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.mentions
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.communities
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.community_members
    UNION ALL SELECT max(greatest(recorded_from, CASE WHEN isinf(recorded_to) THEN recorded_from ELSE recorded_to END)) FROM graph.community_reports
    UNION ALL SELECT max(recorded_at) FROM graph.runs
)
SELECT coalesce(max(t), TIMESTAMPTZ '1970-01-01 00:00:00+00') AS known_at FROM instants;
