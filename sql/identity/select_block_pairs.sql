-- Grain: one pair of records that stand in one usable block, one of them changed, that may be one thing: of a class in common (the same, or
-- one above the other), and not two records of one table, which its key tells apart.
-- Inputs: blocks, block_sizes, changed, record_classes, record_facets, compatible.
WITH usable AS (
    SELECT b.record AS record, b.block AS block FROM blocks AS b JOIN block_sizes AS s ON s.block = b.block WHERE s.usable
), together AS (
    SELECT DISTINCT least(x.record, y.record) AS a, greatest(x.record, y.record) AS b
    FROM changed AS c
    JOIN usable AS x ON x.record = c.record
    JOIN usable AS y ON y.block = x.block
    WHERE x.record <> y.record
), alike AS (
    SELECT DISTINCT t.a AS a, t.b AS b FROM together AS t
    JOIN record_classes AS x ON x.record = t.a
    JOIN record_classes AS y ON y.record = t.b
    JOIN compatible AS c ON c.class = x.class AND c.other = y.class
), same_table AS (
    SELECT DISTINCT l.a AS a, l.b AS b FROM alike AS l
    JOIN record_facets AS x ON x.record = l.a
    JOIN record_facets AS y ON y.record = l.b AND y.facet = x.facet
)
SELECT l.a AS a, l.b AS b FROM alike AS l LEFT JOIN same_table AS s ON s.a = l.a AND s.b = l.b WHERE s.a IS NULL
