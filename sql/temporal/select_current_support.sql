-- Grain: one open support row of an open row of a touched key. Input: graph.support, {current}.
WITH live AS (
    SELECT * FROM graph.support WHERE recorded_to = 'infinity'
)
SELECT l.*, c.key_at AS key_at FROM live AS l
JOIN {current} AS c ON c.dataset = l.dataset AND c.row_id = l.row_id AND c.content_hash = l.content_hash
