-- Grain: one cell and division with the highest and lowest place of the candidates over it. Input: {covers}, cells.
WITH levels AS (
    SELECT DISTINCT slot, level FROM {covers}
), paths AS (
    SELECT c.slot, c.cell, l.level, c.cell >> l.level AS node FROM cells AS c JOIN levels AS l ON l.slot = c.slot WHERE c.cell_to IS NOT NULL
)
SELECT p.slot AS slot, p.cell AS cell, v.division AS division, max(v.highest) AS highest, min(v.lowest) AS lowest
FROM paths AS p JOIN {covers} AS v ON v.slot = p.slot AND v.level = p.level AND v.node = p.node
GROUP BY p.slot, p.cell, v.division
