-- Grain: the store's secret, made once. Parameter: $secret.
INSERT INTO graph.erasure_secret SELECT $secret AS secret WHERE NOT EXISTS (SELECT 1 FROM graph.erasure_secret)
