-- Grain: helpers of the unit views, session-local.
-- The readable end of an IRI: 'http://x/Orders#ShipCity' -> 'Ship City'.
CREATE OR REPLACE TEMP MACRO readable(iri) AS
    trim(regexp_replace(replace(regexp_extract(iri, '([^/#:]*)[/#:]?$', 1), '_', ' '), '([a-z0-9])([A-Z])', '\1 \2', 'g'));
-- 'city Seattle; title Sales Representative' of a properties JSON; at most 12, each at most 100 characters.
CREATE OR REPLACE TEMP MACRO described(properties) AS
    array_to_string(list_transform(
        list_sort(json_keys(properties))[1:12],
        lambda k: lower(readable(k)) || ' ' || substr(properties ->> ('$."' || replace(k, '"', '\"') || '"'), 1, 100)
    ), '; ');
