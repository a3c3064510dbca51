-- Grain: one row of counts of a batch. Input: normalised, arrivals, withdrawn, rule_statements.
SELECT (SELECT count(*) FROM normalised) AS statements,
       (SELECT count(*) FROM arrivals) AS new,
       (SELECT count(*) FROM withdrawn) AS withdrawn,
       (SELECT count(*) FROM normalised WHERE reason IS NOT NULL) AS quarantined,
       (SELECT count(*) FROM normalised WHERE reason IS NULL AND (valid_from = valid_to OR valid_from = 'infinity')) AS empty_periods
