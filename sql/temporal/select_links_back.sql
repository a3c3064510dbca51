-- Grain: one link, the other way round. Input: links.
SELECT part, b AS a, a AS b FROM links
