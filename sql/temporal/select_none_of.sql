-- Grain: none: a step table of the same shape, without rows. Input: {rows}.
SELECT * FROM {rows} WHERE FALSE
