-- Grain: one row: how many rows of {table} were looked at, every how many-th being $step, and the profile of each of {columns}.
SELECT count(*), [{columns}] FROM {table} WHERE rowid % $step = 0;
