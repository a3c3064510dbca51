-- Grain: one row: how many rows a table has, and what they are, whatever their order. Compared within one process only, since
-- DuckDB does not promise that hash() stays as it is. The sum sees rows that stand there twice, which cancel out in the xor.
SELECT count(*) AS row_count, bit_xor(hash(t)) AS xor_of_rows, sum(CAST(hash(t) AS HUGEINT)) AS sum_of_rows FROM {table} AS t;
