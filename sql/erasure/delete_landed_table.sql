-- Grain: a row of {table}, dlt's, which holds what the last load brought; all that is known of it stands in the row log.
DELETE FROM {table};
