-- Grain: one step as a path of length 1. Input: steps.
SELECT symbol, a, b, valid_from, valid_to, 1 AS length FROM steps
