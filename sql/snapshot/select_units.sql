-- Grain: one row per wanted unit. Input: graph.units. Parameter: $ordinals.
SELECT u.ordinal, u.kind, u.id, u.text, u.dataset, u.source, graph.iso(u.valid_from) AS valid_from,
       graph.iso(u.valid_to) AS valid_to, graph.iso(u.recorded_from) AS recorded_from, graph.iso(u.recorded_to) AS recorded_to
FROM graph.units AS u JOIN (SELECT unnest(string_split($ordinals, ',')::BIGINT[]) AS ordinal) AS w ON w.ordinal = u.ordinal;
