-- Grain: one pair of nodes to be scored. Input: key_pairs.
SELECT a, b FROM key_pairs
