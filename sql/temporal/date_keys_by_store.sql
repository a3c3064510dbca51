-- Grain: one touched key with its number in this commit and the transaction time of its change. Input: keys.
-- The store's clock dates every key (design section 4, rule 5).
SELECT row_number() OVER () AS key, k.*, CAST($store_now AS TIMESTAMPTZ) AS key_at, FALSE AS met FROM keys AS k
