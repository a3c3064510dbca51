-- Grain: one key whose belief must be derived again. Input: the keyed sets of this commit.
SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_arrivals
UNION
SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_withdrawn
UNION
SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_moved_before
UNION
SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_moved_after
UNION
SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_rule_statements
