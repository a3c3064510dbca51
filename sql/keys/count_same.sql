-- Grain: one row: rows of {table} in which {parts} has a value, and rows in which it is the row's own key {others}.
SELECT count({parts}), count(*) FILTER ({parts} = {others}) FROM {table};
