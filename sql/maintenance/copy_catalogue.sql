-- Grain: no rows. Every schema, table, view and macro of the old file, without rows.
COPY FROM DATABASE old_file TO new_file (SCHEMA);
