-- Grain: none: the typed columns of an empty batch.
SELECT {columns} WHERE FALSE
