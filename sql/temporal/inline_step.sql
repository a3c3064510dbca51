-- Grain: that of the step. How this executor runs a compute step within the one statement that reads it: a temporary view.
CREATE OR REPLACE TEMP VIEW {name} AS
{query}
