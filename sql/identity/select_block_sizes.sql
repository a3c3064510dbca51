-- Grain: one block with more than one record; usable: small enough to compare all pairs in it. Input: blocks. Parameter: $block_size.
SELECT block, count(*) AS records, count(*) <= $block_size AS usable FROM blocks GROUP BY block HAVING count(*) > 1
