-- Grain: one row of {table}, one of the landing file's own tables, for each row of the registered relation `incoming`.
INSERT INTO {table} BY NAME SELECT * FROM incoming;
