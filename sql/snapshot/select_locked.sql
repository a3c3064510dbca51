-- Grain: one row, whether the settings of this database instance are locked.
SELECT current_setting('lock_configuration') AS locked;
