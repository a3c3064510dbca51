-- Grain: one row per unit, in order of ordinal, with the ordinals of a chunk's neighbours in its document as they were
-- known together. Inputs: the unit views. Parameter: $current, whether only what is believed now is wanted.
CREATE OR REPLACE TEMP TABLE units AS
WITH every_unit AS (
    SELECT * FROM chunk_units UNION ALL SELECT * FROM fact_units
    UNION ALL SELECT * FROM node_units UNION ALL SELECT * FROM community_units
), numbered AS (
    SELECT *, row_number() OVER (
        ORDER BY kind_order, dataset, source, document_id, position, id, recorded_from, valid_from, recorded_to, valid_to,
                 content_hash, object, text
    ) - 1 AS ordinal
    FROM every_unit WHERE NOT $current OR recorded_to = 'infinity'
), codes AS (
    SELECT node_id, dataset, row_number() OVER (ORDER BY dataset, node_id) - 1 AS code FROM (
        SELECT DISTINCT dataset, subject AS node_id FROM numbered WHERE subject IS NOT NULL
        UNION SELECT DISTINCT dataset, object FROM numbered WHERE object IS NOT NULL
    ) AS ends
), beside AS (
    SELECT u.ordinal,
           max(CASE WHEN n.position = u.position - 1 THEN n.ordinal END) AS previous_1,
           max(CASE WHEN n.position = u.position - 2 THEN n.ordinal END) AS previous_2,
           max(CASE WHEN n.position = u.position + 1 THEN n.ordinal END) AS next_1,
           max(CASE WHEN n.position = u.position + 2 THEN n.ordinal END) AS next_2
    FROM numbered AS u
    JOIN numbered AS n ON n.dataset = u.dataset AND n.document_id = u.document_id
     AND n.position BETWEEN u.position - 2 AND u.position + 2 AND n.ordinal <> u.ordinal
     AND n.recorded_from <= u.recorded_from AND u.recorded_from < n.recorded_to
    WHERE u.kind = 'chunk' AND n.kind = 'chunk'
    GROUP BY u.ordinal
)
SELECT u.ordinal::BIGINT AS ordinal, u.kind, u.id, u.text, u.context, u.dataset, coalesce(u.source, '') AS source, u.document_id,
       CASE WHEN u.kind = 'chunk' THEN u.id END AS chunk_id, u.content_hash,
       u.valid_from, u.valid_to, u.recorded_from, u.recorded_to,
       coalesce(s.code, -1)::BIGINT AS subject_code, coalesce(o.code, -1)::BIGINT AS object_code,
       -- A node is one thing whatever its facet; a fact is one thing whatever the transaction time of its belief.
       (CASE WHEN u.kind IN ('node', 'community')
             THEN dense_rank() OVER (ORDER BY u.kind_order, u.dataset, u.id)
             ELSE dense_rank() OVER (ORDER BY u.kind_order, u.dataset, u.id, u.text, u.valid_from, u.valid_to)
        END * 2 + CASE WHEN u.kind IN ('node', 'community') THEN 1 ELSE 0 END)::BIGINT AS unit_key,
       coalesce(b.previous_1, -1)::BIGINT AS previous_1, coalesce(b.previous_2, -1)::BIGINT AS previous_2,
       coalesce(b.next_1, -1)::BIGINT AS next_1, coalesce(b.next_2, -1)::BIGINT AS next_2
FROM numbered AS u
LEFT JOIN codes AS s ON s.dataset = u.dataset AND s.node_id = u.subject
LEFT JOIN codes AS o ON o.dataset = u.dataset AND o.node_id = u.object
LEFT JOIN beside AS b ON b.ordinal = u.ordinal
ORDER BY u.ordinal;
