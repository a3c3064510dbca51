-- Grain: a row of $table that says in its present columns what it said before: only the columns of the table changed. Inputs:
-- row_changes; {new}, {old}: the present columns as text, in the row and in the row before (there under any of their names).
DELETE FROM row_changes
WHERE table_name = $table AND present AND content_before IS NOT NULL AND [{new}] IS NOT DISTINCT FROM [{old}];
