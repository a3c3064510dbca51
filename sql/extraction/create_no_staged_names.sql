-- Grain: none; the columns of extraction_staged_names where no rows are staged.
CREATE OR REPLACE TEMP TABLE extraction_staged_names (class VARCHAR, name VARCHAR);
