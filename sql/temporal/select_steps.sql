-- Grain: one stretch on which a hop holds, whoever says it. Input: leads.
SELECT DISTINCT symbol, a, b, valid_from, valid_to FROM leads
