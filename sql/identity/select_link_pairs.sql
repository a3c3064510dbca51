-- Grain: one pair of refs that one record gives to one thing. Input: staged_links.
SELECT DISTINCT dataset, ref, ref_key, alias, alias_key FROM staged_links
WHERE ref IS NOT NULL AND alias IS NOT NULL AND ref <> alias
