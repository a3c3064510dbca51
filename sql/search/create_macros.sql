-- Grain: helpers of the unit views, session-local.
-- The readable end of an IRI: 'http://x/Orders#ShipCity' -> 'Ship City'.
CREATE OR REPLACE TEMP MACRO readable(iri) AS
    trim(regexp_replace(replace(url_decode(regexp_extract(iri, '([^/#:]*)[/#:]?$', 1)), '_', ' '), '([a-z0-9])([A-Z])', '\1 \2', 'g'));
-- 'city Seattle; title Sales Representative' of a properties JSON: at most 12, each at most 100 characters, no objects (such as
-- what stands for a binary value).
CREATE OR REPLACE TEMP MACRO json_place(name) AS '$."' || replace(name, '"', '\"') || '"';
CREATE OR REPLACE TEMP MACRO described(properties) AS
    array_to_string(list_transform(
        list_filter(list_sort(json_keys(properties)), lambda k: json_type(properties, json_place(k)) <> 'OBJECT')[1:12],
        lambda k: lower(readable(k)) || ' ' || substr(properties ->> json_place(k), 1, 100)
    ), '; ');
