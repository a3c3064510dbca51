-- Grain: one candidate with the number of the cell at which it begins. A step of its own: in one query with the cell at which it ends,
-- a planner may join the cells of a window with each other. Input: {candidates}, cells.
SELECT c.slot AS slot, c.{division} AS division, c.place AS place, c.claim_to AS claim_to, f.cell AS first
FROM {candidates} AS c JOIN cells AS f ON f.slot = c.slot AND f.cell_from = c.claim_from
