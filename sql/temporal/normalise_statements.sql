-- Grain: one staged statement. Input: staged, rules. Output: its canonical value, its identity (statement_id), its
-- evidence id, and the reason code if it must be refused (design section 4, rules 1, 2, 13).
WITH shaped AS (
    SELECT s.dataset AS dataset, s.kind AS kind, s.subject AS subject, s.predicate AS predicate, s.object AS object, s.value AS raw_value,
           s.facet AS facet, s.mode AS mode, s.polarity AS polarity, s.valid_from AS valid_from, s.valid_to AS valid_to,
           s.observed_at AS observed_at, coalesce(s.sequence, 0) AS sequence, s.source AS source, s.scope AS scope,
           s.extractor AS extractor, coalesce(s.confidence, 1.0) AS confidence, s.document_id AS document_id, s.chunk_id AS chunk_id,
           s.char_start AS char_start, s.char_end AS char_end, s.quote AS quote, s.source_table AS source_table, s.source_key AS source_key,
           coalesce(r.single_valued, FALSE) AS single_valued,
           CASE WHEN s.value IS NOT NULL AND json_valid(s.value) THEN CAST(s.value AS JSON) END AS json_value
    FROM staged AS s
    LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
), valued AS (
    SELECT *,
           CASE kind WHEN 'node' THEN json_value ->> 'label' ELSE json_value ->> 'fact' END AS text,
           CASE WHEN json_type(json_value, '$.properties') = 'OBJECT'
                THEN CAST(to_json(map_from_entries(list_sort(map_entries(
                     CAST(json_extract(json_value, '$.properties') AS MAP(VARCHAR, JSON)))))) AS VARCHAR)
                ELSE '{}' END AS properties,
           CASE
               WHEN dataset IS NULL OR dataset = '' OR subject IS NULL OR subject = '' OR predicate IS NULL OR predicate = '' THEN 'null_key'
               WHEN source IS NULL OR source = '' OR scope IS NULL THEN 'null_source'
               WHEN kind IS NULL OR kind NOT IN ('node', 'edge') THEN 'unknown_kind'
               WHEN polarity IS NULL OR polarity NOT IN ('assert', 'retract') THEN 'unknown_polarity'
               WHEN kind = 'node' AND (facet IS NULL OR facet = '') THEN 'null_key'
               WHEN kind = 'edge' AND (object IS NULL OR object = '') AND NOT (single_valued AND polarity = 'retract') THEN 'null_key'
               WHEN mode IS NULL OR mode NOT IN ('period', 'event') THEN 'unknown_mode'
               WHEN valid_from IS NULL THEN 'null_valid_from'
               WHEN mode = 'period' AND valid_to IS NULL THEN 'null_valid_to'
               WHEN mode = 'event' AND valid_to IS NOT NULL THEN 'event_with_end'
               WHEN valid_from > valid_to THEN 'reversed_period'
               WHEN json_value IS NULL OR json_type(json_value) <> 'OBJECT' THEN 'invalid_value'
           END AS reason
    FROM shaped
), canonical AS (
    SELECT *,
           CAST(to_json(CASE kind WHEN 'node' THEN [text, NULL] ELSE [NULL, text] END) AS VARCHAR) AS text_key,
           unhex(md5(CAST(to_json([document_id, chunk_id, CAST(char_start AS VARCHAR), CAST(char_end AS VARCHAR), quote, source_table,
                                   source_key]) AS VARCHAR))) AS evidence_id
    FROM valued
)
SELECT dataset, kind, subject, predicate, CASE kind WHEN 'edge' THEN object END AS object, raw_value,
       CASE kind WHEN 'node' THEN facet ELSE '' END AS facet, mode, polarity, valid_from, valid_to, observed_at, sequence, source, scope,
       extractor, confidence, document_id, chunk_id, char_start, char_end, quote, source_table, source_key, single_valued,
       text, properties, reason, evidence_id,
       -- the value a believed row carries; for an edge its object is part of it, so single- and many-valued relations hash alike
       unhex(md5(CAST(to_json([CASE kind WHEN 'node' THEN predicate END, text, properties]) AS VARCHAR))) AS value_hash,
       unhex(md5(CAST(to_json([dataset, source, scope, kind, subject, predicate, object, text_key, properties, facet, mode, polarity,
                               CAST(valid_from AS VARCHAR), CAST(valid_to AS VARCHAR), CAST(observed_at AS VARCHAR),
                               CAST(sequence AS VARCHAR), hex(evidence_id)]) AS VARCHAR))) AS statement_id
FROM canonical
