-- Grain: one refused file or record with its id, a function of what was refused and why. Input: refused.
CREATE OR REPLACE TEMP TABLE identified_refused AS
SELECT DISTINCT unhex(md5(CAST(json_array('documents', r.reason, r.payload, r.location) AS VARCHAR))) AS quarantine_id,
       r.scope, r.location, r.reason, r.detail, r.payload
FROM refused AS r;
