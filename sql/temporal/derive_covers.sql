-- Grain: one node of a window's segment tree over its cells, per division of candidates, with the places it is covered by. A claim over n
-- cells covers at most 2 log2(n) nodes (segment tree: Bentley, "Algorithms for Klee's rectangle problems", 1977), so that a key with many
-- statements costs n log n and not n squared. At level l a node spans 2^l cells. Input: {firsts}, cells.
WITH spans AS (
    SELECT c.slot, c.division, c.place, c.first, t.cell AS beyond
    FROM {firsts} AS c JOIN cells AS t ON t.slot = c.slot AND t.cell_from = c.claim_to
), levels AS (
    SELECT slot, division, place, first, beyond, unnest(range(0, CAST(floor(log2(beyond - first)) AS BIGINT) + 1)) AS level FROM spans
), edges AS (
    SELECT slot, division, place, level, (first + (CAST(1 AS BIGINT) << level) - 1) >> level AS low, beyond >> level AS high FROM levels
), covered AS (
    SELECT slot, division, place, level, low AS node FROM edges WHERE low < high AND low % 2 = 1
    UNION ALL
    SELECT slot, division, place, level, high - 1 FROM edges WHERE low < high AND high % 2 = 1
)
SELECT slot, division, level, node, max(place) AS highest, min(place) AS lowest FROM covered GROUP BY slot, division, level, node
