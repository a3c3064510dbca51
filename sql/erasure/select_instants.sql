-- Grain: one instant at which something was recorded that is to be replayed, in order. Inputs: replayed_statements,
-- replayed_identities, graph.identities. Of identities, those of refs that the statements to be replayed name.
WITH log AS (
    SELECT s.subject, s.object FROM graph.statements AS s JOIN keys AS k ON k.k1 = s.subject WHERE s.dataset = $dataset
    UNION
    SELECT s.subject, s.object FROM graph.statements AS s
    JOIN graph.identities AS i ON i.dataset = s.dataset AND i.ref = s.subject
    JOIN keys AS k ON k.k1 = i.node_id WHERE s.dataset = $dataset
), refs AS (
    SELECT subject AS ref FROM log UNION SELECT object FROM log
), named AS (
    SELECT i.recorded_from, i.recorded_to FROM replayed_identities AS i JOIN refs AS r ON r.ref = i.ref
), instants AS (
    SELECT recorded_from AS instant FROM replayed_statements UNION SELECT recorded_to FROM replayed_statements
    UNION SELECT recorded_from FROM named UNION SELECT recorded_to FROM named
)
SELECT instant FROM instants WHERE instant >= CAST($first AS TIMESTAMPTZ) AND instant < 'infinity' ORDER BY instant
