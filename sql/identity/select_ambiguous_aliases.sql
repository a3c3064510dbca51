-- Grain: one alias that several things with different values of one identifying key share: it identifies nothing. Input: link_pairs.
SELECT dataset, alias, ref_key, min(ref) AS first_ref, max(ref) AS last_ref
FROM link_pairs GROUP BY dataset, alias, ref_key HAVING count(DISTINCT ref) > 1
