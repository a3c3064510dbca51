-- Grain: one row: the greatest value of a cursor that a load brought, as text, and its type. Inputs: {table}, dlt's; {column}, which
-- holds the JSON text of each value. Numbers are compared as numbers, where all are; everything else as text.
SELECT
    CASE WHEN bool_and(kind IN ('UBIGINT', 'BIGINT', 'DOUBLE')) THEN max_by(text, TRY_CAST(text AS DOUBLE)) ELSE max(text) END,
    CASE WHEN bool_and(kind IN ('UBIGINT', 'BIGINT')) THEN 'HUGEINT'
        WHEN bool_and(kind IN ('UBIGINT', 'BIGINT', 'DOUBLE')) THEN 'DOUBLE' ELSE 'VARCHAR' END
FROM (SELECT json_type({column}) AS kind, json_extract_string({column}, '$') AS text FROM {table} WHERE {column} IS NOT NULL);
