-- Grain: one node, numbered for the rounds of composing. Input: {hops}.
WITH ends AS (
    SELECT subject AS node FROM {hops} UNION SELECT object FROM {hops}
)
SELECT row_number() OVER () AS place, node FROM ends
