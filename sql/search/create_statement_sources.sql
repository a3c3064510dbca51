-- Grain: one row per supported row (kind, id, content hash): the first source, by name, that said it.
-- Inputs: graph.support, graph.statements.
CREATE OR REPLACE TEMP VIEW statement_sources AS
    SELECT u.dataset, u.kind, u.row_id, u.content_hash, min(s.source) AS source
    FROM graph.support AS u
    JOIN graph.statements AS s ON s.dataset = u.dataset AND s.statement_id = u.statement_id
    GROUP BY u.dataset, u.kind, u.row_id, u.content_hash;
