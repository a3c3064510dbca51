-- Grain: temporary macros that write values as RDF: canonical lexical forms of XSD 1.1, terms of N-Triples.
-- `cell` is a JSON value, `lexical` the same as text. A text that is no value of the datatype gives NULL.

-- Digits of a double and the exponent of the first of them, from its shortest decimal text.
CREATE OR REPLACE TEMP MACRO double_digits(mantissa) AS trim(replace(mantissa, '.', ''), '0');
CREATE OR REPLACE TEMP MACRO double_exponent(mantissa, exponent) AS
    coalesce(TRY_CAST(nullif(exponent, '') AS INTEGER), 0) + length(split_part(mantissa, '.', 1)) - 1
    - (length(replace(mantissa, '.', '')) - length(ltrim(replace(mantissa, '.', ''), '0')));
CREATE OR REPLACE TEMP MACRO double_form(digits, exponent) AS
    digits[1] || '.' || coalesce(nullif(digits[2:], ''), '0') || 'E' || exponent;
CREATE OR REPLACE TEMP MACRO xsd_double(number) AS
    CASE WHEN isnan(number) THEN 'NaN' WHEN isinf(number) THEN CASE WHEN number > 0 THEN 'INF' ELSE '-INF' END
         WHEN number = 0 THEN CASE WHEN signbit(number) THEN '-0.0E0' ELSE '0.0E0' END
         ELSE CASE WHEN number < 0 THEN '-' ELSE '' END
              || double_form(double_digits(split_part(CAST(abs(number) AS VARCHAR), 'e', 1)),
                             double_exponent(split_part(CAST(abs(number) AS VARCHAR), 'e', 1), split_part(CAST(abs(number) AS VARCHAR), 'e', 2)))
    END;
CREATE OR REPLACE TEMP MACRO lexical_double(lexical) AS
    CASE lexical WHEN 'not a number' THEN 'NaN' WHEN 'positive infinity' THEN 'INF' WHEN 'negative infinity' THEN '-INF'
    ELSE CASE WHEN regexp_full_match(lexical, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|Inf|INF|infinity|Infinity)|nan|NaN')
              THEN xsd_double(TRY_CAST(lexical AS DOUBLE)) END END;

CREATE OR REPLACE TEMP MACRO signed(sign, digits) AS CASE WHEN sign = '-' AND regexp_matches(digits, '[1-9]') THEN '-' ELSE '' END || digits;
CREATE OR REPLACE TEMP MACRO lexical_integer(lexical) AS
    CASE WHEN regexp_full_match(lexical, '[+-]?[0-9]+(\.0*)?')
         THEN signed(lexical[1], coalesce(nullif(ltrim(split_part(ltrim(lexical, '+-'), '.', 1), '0'), ''), '0')) END;
CREATE OR REPLACE TEMP MACRO lexical_decimal(lexical) AS
    CASE WHEN regexp_full_match(lexical, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)')
         THEN signed(lexical[1], coalesce(nullif(ltrim(split_part(ltrim(lexical, '+-'), '.', 1), '0'), ''), '0')
                     || coalesce('.' || nullif(rtrim(split_part(lexical, '.', 2), '0'), ''), '')) END;

CREATE OR REPLACE TEMP MACRO lexical_boolean(lexical) AS
    CASE lower(lexical) WHEN 'true' THEN 'true' WHEN '1' THEN 'true' WHEN 'false' THEN 'false' WHEN '0' THEN 'false' END;

-- Times: SQL writes them with a space, XSD with a T. A fraction has no zeros behind it, an instant with a zone is in UTC.
CREATE OR REPLACE TEMP MACRO without_zeros(time_text) AS regexp_replace(time_text, '(\.[0-9]*?)0+$', '\1').rtrim('.');
CREATE OR REPLACE TEMP MACRO lexical_date(lexical) AS
    CASE WHEN regexp_full_match(lexical, '[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]00:00(:00(\.0+)?)?)?') AND TRY_CAST(lexical[:10] AS DATE) IS NOT NULL
         THEN lexical[:10] END;
CREATE OR REPLACE TEMP MACRO lexical_time(lexical) AS
    CASE WHEN regexp_full_match(lexical, '[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?') AND TRY_CAST(lexical AS TIME) IS NOT NULL
         THEN without_zeros(CASE WHEN length(lexical) = 5 THEN lexical || ':00' ELSE lexical END)
         WHEN regexp_full_match(lexical, '[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)') AND TRY_CAST(lexical[:8] AS TIME) IS NOT NULL
         THEN without_zeros(regexp_extract(lexical, '^[0-9:.]+')) || CASE WHEN regexp_matches(lexical, 'Z$|[+-]00(:?00)?$') THEN 'Z'
              ELSE regexp_replace(regexp_extract(lexical, '[+-].*$'), '^([+-][0-9]{2}):?([0-9]{2})?$', '\1:\2').rpad(6, '0') END END;
CREATE OR REPLACE TEMP MACRO lexical_moment(lexical) AS
    strftime(TRY_CAST(lexical AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S') || without_zeros(regexp_extract(lexical, '\.[0-9]+'));
CREATE OR REPLACE TEMP MACRO lexical_instant(lexical) AS
    strftime(TRY_CAST(lexical AS TIMESTAMPTZ) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S') || without_zeros(regexp_extract(lexical, '\.[0-9]+')) || 'Z';
CREATE OR REPLACE TEMP MACRO lexical_date_time(lexical) AS
    CASE WHEN regexp_full_match(lexical, '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN lexical_moment(lexical)
         WHEN regexp_full_match(lexical, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?')
         THEN lexical_moment(CASE WHEN length(lexical) = 16 THEN lexical || ':00' ELSE lexical END)
         WHEN regexp_full_match(lexical, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)')
         THEN lexical_instant(lexical) END;

CREATE OR REPLACE TEMP MACRO lexical_year(lexical) AS CASE WHEN regexp_full_match(lexical, '[0-9]{4}') AND lexical <> '0000' THEN lexical END;
CREATE OR REPLACE TEMP MACRO lexical_binary(lexical) AS CASE WHEN regexp_full_match(lexical, '([0-9A-Fa-f]{2})*') THEN upper(lexical) END;

-- The canonical lexical form of a value of a datatype (its name without XSD's namespace).
CREATE OR REPLACE TEMP MACRO lexical_form(lexical, datatype, width) AS
    CASE datatype WHEN 'string' THEN CASE WHEN length(lexical) < width THEN rpad(lexical, CAST(width AS INTEGER), ' ') ELSE lexical END
         WHEN 'integer' THEN lexical_integer(lexical) WHEN 'decimal' THEN lexical_decimal(lexical) WHEN 'double' THEN lexical_double(lexical)
         WHEN 'boolean' THEN lexical_boolean(lexical) WHEN 'date' THEN lexical_date(lexical) WHEN 'time' THEN lexical_time(lexical)
         WHEN 'dateTime' THEN lexical_date_time(lexical) WHEN 'gYear' THEN lexical_year(lexical) WHEN 'hexBinary' THEN lexical_binary(lexical) END;

-- What a value is that is not of its column's datatype, or whose column has none.
CREATE OR REPLACE TEMP MACRO own_datatype(cell) AS
    CASE WHEN json_type(cell) = 'BOOLEAN' THEN 'boolean'
         WHEN json_type(cell) NOT IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE') THEN 'string'
         WHEN regexp_full_match(CAST(cell AS VARCHAR), '-?[0-9]+') THEN 'integer' ELSE 'double' END;
CREATE OR REPLACE TEMP MACRO value_of(cell, datatype, width) AS
    CASE WHEN lexical_form(cell->>'$', datatype, width) IS NOT NULL THEN {'lexical': lexical_form(cell->>'$', datatype, width), 'datatype': datatype}
         ELSE {'lexical': lexical_form(cell->>'$', own_datatype(cell), NULL), 'datatype': own_datatype(cell)} END;

-- Terms of N-Triples.
CREATE OR REPLACE TEMP MACRO escaped(string) AS
    CASE WHEN NOT regexp_matches(string, '[\x00-\x1f"\\\x7f]') THEN string
         WHEN NOT regexp_matches(string, '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]')
         THEN replace(replace(replace(replace(replace(string, '\', '\\'), '"', '\"'), chr(10), '\n'), chr(13), '\r'), chr(9), '\t')
         ELSE array_to_string(list_transform(regexp_extract_all(string, '(?s).'), lambda c:
             CASE c WHEN '\' THEN '\\' WHEN '"' THEN '\"' WHEN chr(10) THEN '\n' WHEN chr(13) THEN '\r' WHEN chr(9) THEN '\t'
                    ELSE CASE WHEN unicode(c) < 32 OR unicode(c) = 127 THEN '\u' || upper(lpad(to_hex(unicode(c)), 4, '0')) ELSE c END END), '') END;
CREATE OR REPLACE TEMP MACRO literal(held) AS
    '"' || escaped(held.lexical) || '"' || CASE WHEN held.datatype = 'string' THEN '' ELSE '^^<http://www.w3.org/2001/XMLSchema#' || held.datatype || '>' END;
