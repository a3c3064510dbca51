-- Grain: a refused row, with an id that is a function of it, so that a re-run writes nothing new. Input: problems.
SELECT DISTINCT md5(to_json([$stage, reason, payload, location])) AS quarantine_id, reason, detail, payload, location, scope
FROM problems ORDER BY location, reason, quarantine_id;
