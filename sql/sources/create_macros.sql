-- Grain: temporary macros of this layer. `fields` is a list of JSON values, `texts` the same as text.

-- A cell as JSON. Whole numbers have one spelling whatever their column's type, so that keys of equal value are equal.
CREATE OR REPLACE TEMP MACRO json_of_number(cell) AS
    CASE WHEN NOT isfinite(cell) THEN to_json(CAST(cell AS VARCHAR))
         WHEN trunc(cell) = cell AND abs(cell) < 1e15 THEN to_json(CAST(cell AS BIGINT))
         ELSE to_json(cell) END;
-- A fraction with more digits than a double holds is text: DuckDB would read it as a double whenever it looks into the JSON.
CREATE OR REPLACE TEMP MACRO json_of_digits(digits) AS
    CASE WHEN contains(digits, '.') AND length(ltrim(digits, '-')) > 16 THEN to_json(digits) ELSE CAST(digits AS JSON) END;
CREATE OR REPLACE TEMP MACRO json_of_decimal(cell) AS
    json_of_digits(regexp_replace(regexp_replace(CAST(cell AS VARCHAR), '(\.[0-9]*?)0+$', '\1'), '\.$', ''));
CREATE OR REPLACE TEMP MACRO json_of_instant(cell) AS
    to_json(CASE WHEN isfinite(cell) THEN regexp_replace(strftime(cell, '%Y-%m-%dT%H:%M:%S.%f'), '\.?0+$', '') || 'Z'
                 ELSE CAST(cell AS VARCHAR) END);
CREATE OR REPLACE TEMP MACRO json_of_time(cell) AS
    to_json(CASE WHEN isfinite(cell) THEN regexp_replace(strftime(cell, '%Y-%m-%dT%H:%M:%S.%f'), '\.?0+$', '')
                 ELSE CAST(cell AS VARCHAR) END);
CREATE OR REPLACE TEMP MACRO json_of_bytes(cell) AS
    CASE WHEN cell IS NOT NULL THEN json_object('bytes', octet_length(cell), 'sha256', sha256(cell)) END;
CREATE OR REPLACE TEMP MACRO json_of_hex(cell) AS to_json(hex(cell));
CREATE OR REPLACE TEMP MACRO json_of_text(cell) AS CAST(cell AS JSON);
CREATE OR REPLACE TEMP MACRO json_of_value(cell) AS to_json(cell);

-- A JSON object from names (already JSON strings) and JSON values; NULL members are left out.
CREATE OR REPLACE TEMP MACRO object_of(names, members) AS
    '{' || array_to_string(list_filter(list_transform(list_zip(names, members),
        lambda pair: CASE WHEN pair[2] <> 'null' THEN pair[1] || ':' || pair[2] END), lambda member: member IS NOT NULL), ',') || '}';

-- For each list of positions the first of those fields that is there.
CREATE OR REPLACE TEMP MACRO first_of(positions, fields) AS
    list_transform(positions, lambda ps: list_filter(list_transform(ps, lambda p: fields[p]), lambda f: f IS NOT NULL)[1]);

-- Percent-encoded as in R2RML: non-ASCII letters stay.
CREATE OR REPLACE TEMP MACRO iri_safe(name) AS
    CASE WHEN regexp_full_match(name, '[[:ascii:]]*') THEN url_encode(name)
         ELSE array_to_string(list_transform(regexp_extract_all(name, '(?s).'),
             lambda c: CASE WHEN unicode(c) >= 160 AND unicode(c) NOT BETWEEN 57344 AND 63743 THEN c ELSE url_encode(c) END), '') END;

-- name=value pairs of a key, in its order: the last part of a row IRI. Names are already percent-encoded.
CREATE OR REPLACE TEMP MACRO key_path(names, texts) AS
    array_to_string(list_transform(list_zip(names, texts), lambda pair: pair[1] || '=' || iri_safe(pair[2])), ';');

-- Single spaces, none at the ends; NULL for nothing. Most names are so already, which is cheaper to see than to make.
CREATE OR REPLACE TEMP MACRO is_squeezed(name) AS
    name <> '' AND trim(name) = name AND NOT (contains(name, '  ') OR contains(name, chr(9)) OR contains(name, chr(10))
                                              OR contains(name, chr(12)) OR contains(name, chr(13)));
CREATE OR REPLACE TEMP MACRO squeeze(name) AS
    CASE WHEN is_squeezed(name) THEN name ELSE nullif(trim(regexp_replace(name, '\s+', ' ', 'g')), '') END;

-- A template: literals[1] field literals[2] field …; NULL where a required field is missing.
CREATE OR REPLACE TEMP MACRO render(template, texts) AS
    CASE WHEN list_bool_and(list_transform(template.required, lambda i: coalesce(texts[i], '') <> '')) IS DISTINCT FROM false
         THEN squeeze(template.literals[1] || array_to_string(list_transform(range(1, len(template.indexes) + 1),
             lambda n: coalesce(texts[template.indexes[n]], '') || template.literals[n + 1]), '')) END;
CREATE OR REPLACE TEMP MACRO first_label(templates, texts) AS
    list_filter(list_transform(templates, lambda t: render(t, texts)), lambda label: label IS NOT NULL)[1];

-- An instant from text: with its own offset, or in a zone. NULL if it is none. DuckDB wants seconds; ISO 8601 does not.
CREATE OR REPLACE TEMP MACRO with_seconds(instant_text) AS
    regexp_replace(trim(instant_text), '([T ][0-9]{2}:[0-9]{2})([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?$', '\1:00\2');
CREATE OR REPLACE TEMP MACRO has_offset(instant_text) AS
    regexp_matches(instant_text, '[0-9]:[0-9]{2}.*([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)\s*$');
CREATE OR REPLACE TEMP MACRO iso_instant(instant_text, zone) AS
    CASE WHEN has_offset(instant_text) THEN TRY_CAST(with_seconds(instant_text) AS TIMESTAMPTZ)
         ELSE timezone(zone, TRY_CAST(with_seconds(instant_text) AS TIMESTAMP)) END;
-- Text that was written by a pattern of strptime (a constant of the query; NULL: none) in the way of ISO 8601.
CREATE OR REPLACE TEMP MACRO iso_text(instant_text, pattern) AS
    CASE WHEN pattern IS NULL THEN instant_text ELSE CAST(try_strptime(trim(instant_text), CAST(pattern AS VARCHAR)) AS VARCHAR) END;
CREATE OR REPLACE TEMP MACRO instant_of
    (instant_text, zone) AS iso_instant(instant_text, zone),
    (instant_text, zone, pattern) AS iso_instant(iso_text(instant_text, pattern), zone);

-- The exclusive end of validity. Where it is `closed`, the text names the last day (month, year: what its pattern says) that is
-- included, and the end is the next one, in the zone. So it is with a time at midnight; another time includes its own second
-- (minute, fraction: what it names). NULL if the text is no time.
CREATE OR REPLACE TEMP MACRO unit_of(local_time, local_text, pattern) AS
    CASE WHEN CAST(local_time AS TIME) = TIME '00:00' THEN
              CASE WHEN pattern IS NULL OR regexp_matches(pattern, '%-?[djHIMSf]') THEN to_days(1)
                   WHEN regexp_matches(pattern, '%-?[mbB]') THEN to_months(1) ELSE to_years(1) END
         WHEN regexp_matches(local_text, '\.[0-9]') THEN
              to_microseconds(CAST(pow(10, 6 - len(regexp_extract(local_text, '\.([0-9]{1,6})', 1))) AS BIGINT))
         WHEN pattern IS NOT NULL AND NOT regexp_matches(pattern, '%-?[Sf]') THEN
              CASE WHEN regexp_matches(pattern, '%-?M') THEN to_minutes(1) ELSE to_hours(1) END
         WHEN regexp_matches(local_text, '[T ][0-9]{2}:[0-9]{2}$') THEN to_minutes(1)
         ELSE to_seconds(1) END;
CREATE OR REPLACE TEMP MACRO local_text_of(iso) AS
    CASE WHEN has_offset(iso) THEN regexp_replace(trim(iso), '([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$', '') ELSE trim(iso) END;
CREATE OR REPLACE TEMP MACRO offset_text_of(iso) AS
    CASE WHEN has_offset(iso) THEN regexp_extract(trim(iso), '([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$') ELSE '' END;
CREATE OR REPLACE TEMP MACRO local_after(local_time, local_text, pattern) AS
    CASE WHEN isfinite(local_time) THEN TRY(local_time + unit_of(local_time, local_text, pattern)) ELSE local_time END;
CREATE OR REPLACE TEMP MACRO closed_end(iso, zone, pattern) AS
    iso_instant(CAST(local_after(TRY_CAST(with_seconds(local_text_of(iso)) AS TIMESTAMP), local_text_of(iso), CAST(pattern AS VARCHAR)) AS VARCHAR)
                || offset_text_of(iso), zone);
CREATE OR REPLACE TEMP MACRO end_of(instant_text, zone, pattern, closed) AS
    CASE WHEN closed THEN closed_end(iso_text(instant_text, pattern), zone, pattern)
         ELSE iso_instant(iso_text(instant_text, pattern), zone) END;

-- Whether a text is a value of an XSD datatype, as databases write them: a day may stand as its midnight, and the other way round.
CREATE OR REPLACE TEMP MACRO is_integer(value_text, low, high) AS
    regexp_full_match(value_text, '[+-]?[0-9]{1,1000}')
    AND coalesce(TRY_CAST(value_text AS HUGEINT) >= low, low IS NULL OR (low < 2 AND NOT starts_with(value_text, '-')))
    AND coalesce(TRY_CAST(value_text AS HUGEINT) <= high, high IS NULL OR (high IN (-1, 0) AND starts_with(value_text, '-')));
CREATE OR REPLACE TEMP MACRO is_number(value_text) AS
    regexp_full_match(value_text, '[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?|-?INF|NaN');
CREATE OR REPLACE TEMP MACRO is_boolean(value_text) AS lower(value_text) IN ('true', 'false', '1', '0');
CREATE OR REPLACE TEMP MACRO is_date(value_text) AS
    regexp_full_match(value_text, '[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]00:00(:00([.]0+)?)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?')
    AND TRY_CAST(left(value_text, 10) AS DATE) IS NOT NULL;
CREATE OR REPLACE TEMP MACRO is_moment(value_text) AS
    regexp_full_match(value_text, '[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?')
    AND iso_instant(value_text, 'UTC') IS NOT NULL;
CREATE OR REPLACE TEMP MACRO is_time(value_text) AS
    regexp_full_match(value_text, '[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?')
    AND TRY_CAST(regexp_extract(value_text, '^[0-9:]+') || CASE WHEN length(regexp_extract(value_text, '^[0-9:]+')) = 5 THEN ':00' ELSE '' END AS TIME) IS NOT NULL;
CREATE OR REPLACE TEMP MACRO is_year(value_text) AS regexp_full_match(value_text, '-?[0-9]{4,9}');
CREATE OR REPLACE TEMP MACRO is_month(value_text) AS regexp_full_match(value_text, '-?[0-9]{4,9}-(0[1-9]|1[0-2])');
CREATE OR REPLACE TEMP MACRO is_iri(value_text) AS regexp_full_match(value_text, '[^\s<>"{}|\\^`]+');
