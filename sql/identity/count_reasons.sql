-- Grain: one reason for which candidates of this comparison are not merged. Input: verdicts.
SELECT regexp_extract(reason, '^\w+') AS reason, count(*) AS pairs FROM verdicts WHERE decision <> 'merge' GROUP BY 1 ORDER BY 1
