-- Grain: none. A step's table is not needed any more.
DROP TABLE IF EXISTS {name};
