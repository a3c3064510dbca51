-- Grain: one live statement that mentions a ref whose node changed. Input: graph.statements, identity_changes.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity'
), moved AS (
    SELECT l.* FROM live AS l JOIN identity_changes AS c ON c.dataset = l.dataset AND c.ref = l.subject
    UNION
    SELECT l.* FROM live AS l JOIN identity_changes AS c ON c.dataset = l.dataset AND c.ref = l.object
)
SELECT * FROM moved
