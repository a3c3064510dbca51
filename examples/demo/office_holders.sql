-- Who held the two offices at an instant of valid time, as it was recorded at an instant of transaction time.
-- Grain: one holder of one office. A person may have several facets at that point (two records, or a record and texts):
-- the label is that of the executive's record, else the first by name.
CREATE OR REPLACE MACRO office_holders_as_of(valid_at, known_at) AS TABLE
    WITH terms AS (
        SELECT dataset, subject, object, properties ->> '$."https://example.org/stratagraph/demo#party"' AS party
        FROM graph.edges_as_of(valid_at, known_at)
        WHERE predicate = 'https://example.org/stratagraph/demo#holdsOffice'
    ), labels AS (
        SELECT dataset, node_id, arg_min(label, (facet <> 'executive/record', label)) AS label
        FROM graph.nodes_as_of(valid_at, known_at) WHERE label IS NOT NULL GROUP BY dataset, node_id
    )
    SELECT DISTINCT o.label AS office, p.label AS person, t.party
    FROM terms AS t
    JOIN labels AS o ON o.dataset = t.dataset AND o.node_id = t.object
    JOIN labels AS p ON p.dataset = t.dataset AND p.node_id = t.subject
    WHERE o.label IN ('president', 'vice president')
    ORDER BY office, person, party;
