-- Grain: that of the step. How this executor keeps a compute step: a temporary table.
CREATE OR REPLACE TEMP TABLE {name} AS
{query}
