-- Grain: one ref that goes: those of the erased entity, and those of which nothing is said any more once the erased statements are
-- gone. The latter leave no tombstone: another source may still say something of them. Inputs: asked_refs, erased_statements,
-- graph.statements, graph.identities. Parameter: $dataset.
WITH named AS (
    SELECT subject AS ref FROM erased_statements UNION SELECT object FROM erased_statements WHERE object IS NOT NULL
), gone AS (
    SELECT statement_id, recorded_from FROM erased_statements
), staying AS (
    SELECT s.subject, s.object FROM graph.statements AS s
    LEFT JOIN gone AS g ON g.statement_id = s.statement_id AND g.recorded_from = s.recorded_from
    WHERE s.dataset = $dataset AND g.statement_id IS NULL
), spoken AS (
    SELECT subject AS ref FROM staying UNION SELECT object FROM staying
), needed AS (
    SELECT ref FROM spoken
    UNION SELECT i.node_id FROM graph.identities AS i JOIN spoken AS s ON s.ref = i.ref WHERE i.dataset = $dataset
), orphans AS (
    SELECT n.ref FROM named AS n LEFT JOIN needed AS k ON k.ref = n.ref WHERE k.ref IS NULL
)
SELECT ref FROM asked_refs UNION SELECT ref FROM orphans
