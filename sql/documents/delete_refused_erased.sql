-- Grain: a refusal of what is erased. Input: refused, kept.
DELETE FROM refused AS r WHERE NOT EXISTS (SELECT 1 FROM kept AS k WHERE k.scope = r.scope);
