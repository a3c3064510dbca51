-- Grain: a triple as a line of N-Triples, sorted. Inputs: $file, the staged statements of one source whose IRIs begin with $base; the
-- registered relations `mapped_tables` (table_name, prefix, key: JSON pointers, key_names, datatypes and widths of the key's columns) and
-- `mapped_columns` (table_name, property, datatype, width). A row without a primary key is a blank node. What a foreign key
-- refers to is left out where the table is here and the row is not: then no row is referred to.
WITH said AS (
    SELECT kind, subject, predicate, object, value, source_table, source_key FROM read_parquet($file)
), rows_said AS (
    SELECT s.subject AS ref, s.predicate AS class, s.value, s.source_table, t.key,
           CASE WHEN len(t.key) = 0 THEN '_:b' || md5(s.subject)
                ELSE '<' || t.prefix || key_path(t.key_names, list_transform(range(1, len(t.key) + 1),
                     lambda i: value_of(json_extract(s.source_key, t.key[i]), t.datatypes[i], t.widths[i]).lexical)) || '>' END AS term
    FROM said AS s JOIN mapped_tables AS t ON t.table_name = s.source_table
    WHERE s.kind = 'node'
), cells AS (
    SELECT term, source_table, unnest(map_entries(CAST(json_extract(value, '/properties') AS MAP(VARCHAR, JSON)))) AS cell FROM rows_said
), typed AS (
    SELECT c.term, c.cell.key AS property, value_of(c.cell.value, m.datatype, m.width) AS held
    FROM cells AS c JOIN mapped_columns AS m ON m.table_name = c.source_table AND m.property = c.cell.key
), refers AS (
    SELECT s.term AS subject, e.predicate, coalesce(o.term, CASE WHEN t.prefix IS NULL THEN '<' || e.object || '>' END) AS object
    FROM said AS e JOIN rows_said AS s ON s.ref = e.subject
         LEFT JOIN rows_said AS o ON o.ref = e.object
         LEFT JOIN mapped_tables AS t ON t.prefix = $base || split_part(substr(e.object, length($base) + 1), '/', 1) || '/'
    WHERE e.kind = 'edge'
)
SELECT term || ' <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <' || class || '> .' AS line FROM rows_said
UNION ALL
SELECT term || ' <' || property || '> ' || literal(held) || ' .' FROM typed
UNION ALL
SELECT subject || ' <' || predicate || '> ' || object || ' .' FROM refers WHERE object IS NOT NULL
ORDER BY line;
