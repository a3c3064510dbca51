-- Grain: one key to be derived again. Input: {keys}.
SELECT dataset, kind, k1, k2, k3 FROM {keys}
