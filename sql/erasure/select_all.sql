-- Grain: one staged row, as it came. Input: {staged}.
SELECT * FROM {staged}
