-- Grain: one hop within the nodes that matter: both its ends are among them. Input: hops, parts, {near}.
SELECT h.premise AS premise, h.predicate AS predicate, h.subject AS subject, h.object AS object, h.valid_from AS valid_from,
       h.valid_to AS valid_to, h.confidence AS confidence, h.premise_id AS premise_id, h.premise_hash AS premise_hash
FROM hops AS h
JOIN parts AS p ON p.predicate = h.predicate
JOIN {near} AS a ON a.part = p.part AND a.node = h.subject
JOIN {near} AS b ON b.part = p.part AND b.node = h.object
