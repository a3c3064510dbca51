-- Grain: one ref that goes: those of the erased entity, and those of which nothing is said any more once the erased statements are
-- gone. The latter leave no tombstone: another source may still say something of them. Inputs: asked_refs, erased_statements,
-- graph.statements, graph.identities. Parameter: $dataset.
WITH named AS (
    SELECT subject AS ref FROM erased_statements UNION SELECT object FROM erased_statements WHERE object IS NOT NULL
), standing AS (
    SELECT n.ref, n.ref AS said_of FROM named AS n
    UNION SELECT n.ref, i.ref FROM named AS n JOIN graph.identities AS i ON i.node_id = n.ref WHERE i.dataset = $dataset
), speaking AS (
    SELECT t.ref, s.statement_id, s.recorded_from FROM graph.statements AS s JOIN standing AS t ON t.said_of = s.subject
    WHERE s.dataset = $dataset
    UNION
    SELECT t.ref, s.statement_id, s.recorded_from FROM graph.statements AS s JOIN standing AS t ON t.said_of = s.object
    WHERE s.dataset = $dataset
), gone AS (
    SELECT statement_id, recorded_from FROM erased_statements
), needed AS (
    SELECT DISTINCT p.ref FROM speaking AS p
    LEFT JOIN gone AS g ON g.statement_id = p.statement_id AND g.recorded_from = p.recorded_from WHERE g.statement_id IS NULL
), orphans AS (
    SELECT n.ref FROM named AS n LEFT JOIN needed AS k ON k.ref = n.ref WHERE k.ref IS NULL
)
SELECT ref FROM asked_refs UNION SELECT ref FROM orphans
