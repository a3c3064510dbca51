-- Grain: none. A step's view is not needed any more.
DROP VIEW IF EXISTS {name};
