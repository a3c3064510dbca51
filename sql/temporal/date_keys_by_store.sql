-- Grain: one touched key with the transaction time of its change. The store's clock dates every key (design section 4, rule 5).
SELECT k.*, CAST($store_now AS TIMESTAMPTZ) AS key_at, FALSE AS met FROM keys AS k
