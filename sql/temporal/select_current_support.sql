-- Grain: one open support row of an open row of a touched key. Input: graph.support, {current}.
WITH live AS (
    SELECT * FROM graph.support WHERE recorded_to = 'infinity'
)
SELECT l.* FROM live AS l
JOIN {current} AS c ON c.row_id = l.row_id AND c.content_hash = l.content_hash
