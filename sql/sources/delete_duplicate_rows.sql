-- Grain: a row of $tables whose key a row before it has as well. Input: current_rows.
DELETE FROM current_rows WHERE rowid IN (
    SELECT rowid FROM (
        SELECT rowid, row_number() OVER (PARTITION BY table_name, key ORDER BY place) AS number
        FROM current_rows WHERE list_contains(CAST($tables AS VARCHAR[]), table_name)
    ) AS ranked
    WHERE number > 1
);
