-- Grain: a foreign key of the registered relation `keys`.
INSERT INTO graph.foreign_keys BY NAME SELECT * FROM keys ORDER BY source, table_name, columns, referenced_table, name;
