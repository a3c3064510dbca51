-- Grain: the one pair of nodes that is explained. Parameters: $a, $b.
SELECT least($a, $b) AS a, greatest($a, $b) AS b
