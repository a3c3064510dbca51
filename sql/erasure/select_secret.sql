-- Grain: the store's secret, none before the first erasure.
SELECT secret FROM graph.erasure_secret
