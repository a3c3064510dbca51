-- Grain: one row: how many foreign keys are not the same in the warehouse. Input: the registered relation `keys`.
SELECT count(*) FROM (
    (SELECT * FROM keys EXCEPT SELECT * FROM graph.foreign_keys WHERE dataset = $dataset)
    UNION ALL
    (SELECT * FROM graph.foreign_keys WHERE dataset = $dataset EXCEPT SELECT * FROM keys)
);
