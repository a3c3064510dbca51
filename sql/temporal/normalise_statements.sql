-- Grain: one staged statement, numbered. Input: staged, rules. Output: its canonical value, its identity (statement_id), its
-- evidence id, and the reason code if it must be refused (design section 4, rules 1, 2, 13).
WITH shaped AS (
    SELECT row_number() OVER () AS number, s.dataset AS dataset, s.kind AS kind, s.subject AS subject, s.predicate AS predicate,
           CASE WHEN s.kind = 'edge' THEN s.object END AS object, s.value AS raw_value,
           CASE WHEN s.kind = 'node' THEN s.facet ELSE '' END AS facet,
           s.mode AS mode, s.polarity AS polarity, s.valid_from AS valid_from, s.valid_to AS valid_to, s.observed_at AS observed_at,
           coalesce(s.sequence, 0) AS sequence, s.source AS source, s.scope AS scope, s.extractor AS extractor,
           coalesce(s.confidence, 1.0) AS confidence, s.document_id AS document_id, s.chunk_id AS chunk_id,
           s.char_start AS char_start, s.char_end AS char_end, s.quote AS quote, s.source_table AS source_table,
           s.source_key AS source_key, coalesce(r.single_valued, FALSE) AS single_valued,
           CASE WHEN s.value IS NOT NULL AND json_valid(s.value)
                THEN from_json(s.value, '{"label": "JSON", "fact": "JSON", "properties": "JSON"}') END AS parts
    FROM staged AS s
    LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
), opened AS (
    SELECT *, coalesce(CAST(CASE kind WHEN 'node' THEN parts.label ELSE parts.fact END AS VARCHAR), 'null') AS text,
           CASE WHEN starts_with(CAST(parts.properties AS VARCHAR), '{') THEN CAST(parts.properties AS VARCHAR) ELSE '{}' END AS raw_properties
    FROM shaped
), listed AS (
    SELECT *, json_keys(raw_properties) AS names FROM opened
), judged AS (
    SELECT *, list_sort(list_distinct(names)) AS sorted_names FROM listed
), valued AS (
    SELECT number, dataset, kind, subject, predicate, object, raw_value, facet, mode, polarity, valid_from, valid_to, observed_at, sequence,
           source, scope, extractor, confidence, document_id, chunk_id, char_start, char_end, quote, source_table, source_key, text,
           CASE WHEN names = sorted_names OR len(names) > len(sorted_names) THEN raw_properties
                ELSE CAST(to_json(map_from_entries(list_sort(map_entries(CAST(CAST(raw_properties AS JSON) AS MAP(VARCHAR, JSON)))))) AS VARCHAR)
           END AS properties,
           CASE
               WHEN dataset IS NULL OR dataset = '' OR subject IS NULL OR subject = '' OR predicate IS NULL OR predicate = '' THEN 'null_key'
               WHEN dataset <> $dataset THEN 'other_dataset'
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
               WHEN isinf(observed_at) THEN 'infinite_observed_at'
               WHEN parts IS NULL OR NOT starts_with(ltrim(raw_value, chr(9) || chr(10) || chr(13) || ' '), '{') THEN 'invalid_value'
               WHEN len(names) > len(sorted_names) THEN 'repeated_property'
           END AS reason
    FROM judged
), canonical AS (
    SELECT *, CASE kind WHEN 'node' THEN '{"label":' ELSE '{"fact":' END || text || ',"properties":' || properties || '}' AS value,
           unhex(md5(CAST(json_array(document_id, chunk_id, char_start, char_end, quote, source_table, source_key) AS VARCHAR)))
               AS evidence_id
    FROM valued
)
SELECT number, dataset, kind, subject, predicate, object, CASE WHEN reason IS NULL THEN value ELSE raw_value END AS value, facet, mode,
       polarity, valid_from, valid_to, observed_at, sequence, source, scope, extractor, confidence, document_id, chunk_id, char_start,
       char_end, quote, source_table, source_key, reason, evidence_id,
       -- the value a believed row carries; an edge's object is compared beside it
       unhex(md5(CASE kind WHEN 'node' THEN CAST(to_json(predicate) AS VARCHAR) ELSE '' END || value)) AS value_hash,
       -- an infinite bound and a missing one give no microseconds; mode and the rules above tell them apart
       unhex(md5(CAST(json_array(dataset, source, scope, kind, subject, predicate, object, value, facet, mode, polarity,
                                 epoch_us(valid_from), epoch_us(valid_to), epoch_us(observed_at), sequence, hex(evidence_id)) AS VARCHAR)))
           AS statement_id
FROM canonical
