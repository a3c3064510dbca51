-- Grain: one document or record that something was refused of. Input: refused.
SELECT DISTINCT r.scope FROM refused AS r ORDER BY r.scope
