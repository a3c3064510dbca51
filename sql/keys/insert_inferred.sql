-- Grain: one row of {table}, one of the landing file's tables of what was inferred, for each row of the relation `inferred`.
INSERT INTO {table} BY NAME SELECT * FROM inferred;
