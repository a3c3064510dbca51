-- Grain: one reason code with its count in this commit. Input: normalised.
SELECT reason, count(*) AS refused FROM normalised WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason
