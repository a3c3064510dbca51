-- Grain: one node at which a changed link ends. Input: {links}.
SELECT DISTINCT part, b AS node FROM {links}
