-- Grain: one touched key with the transaction time of its change: the store's clock (design section 4, rule 5). Input: keys.
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to, by_event, logged, hot, whole, CAST($store_now AS TIMESTAMPTZ) AS key_at, FALSE AS met FROM keys
