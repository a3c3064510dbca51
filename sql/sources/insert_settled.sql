-- Grain: an edge of `settled`.
INSERT INTO edges SELECT * FROM settled;
