-- Grain: a column of the registered relation `column_properties`.
INSERT INTO graph.properties BY NAME SELECT * FROM column_properties ORDER BY source, table_name, column_name;
