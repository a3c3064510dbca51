-- Grain: one node at which a changed link begins. Input: {links}.
SELECT DISTINCT part, a AS node FROM {links}
