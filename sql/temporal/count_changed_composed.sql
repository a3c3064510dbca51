-- Grain: one row: how many changed relations are composed with others, or may be inferred that way. Input: changed_edges, images, composed,
-- compositions.
WITH bodies AS (
    SELECT first AS predicate FROM compositions UNION SELECT second FROM compositions
), concerned AS (
    SELECT i.predicate FROM images AS i JOIN bodies AS b ON b.predicate = i.implied
    UNION SELECT predicate FROM composed
    UNION SELECT i.predicate FROM images AS i JOIN composed AS c ON c.predicate = i.implied
)
SELECT count(*) AS number FROM changed_edges AS e JOIN concerned AS c ON c.predicate = e.predicate WHERE e.dataset = $dataset
