-- Grain: one row: the blocks that are too large to be compared, and the records in the largest. Input: block_sizes.
SELECT count(*) FILTER (NOT usable) AS blocks_skipped, coalesce(max(records), 0) AS largest_block FROM block_sizes
