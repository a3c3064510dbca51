-- Grain: one row of a step table, kept under another name. Input: {rows}.
SELECT * FROM {rows}
