-- Grain: one node that a link leads to from the last ones reached ({front}), and that was not reached before ({seen}). Input: {links}.
WITH next AS (
    SELECT DISTINCT l.part, l.b AS node FROM {front} AS f JOIN {links} AS l ON l.part = f.part AND l.a = f.node
)
SELECT n.part AS part, n.node AS node FROM next AS n LEFT JOIN {seen} AS s ON s.part = n.part AND s.node = n.node WHERE s.node IS NULL
