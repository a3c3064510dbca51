-- Grain: one class that some node has. Input: record_classes.
SELECT DISTINCT class FROM record_classes ORDER BY class
