-- Grain: one row per hashed table: its name and an order-independent hash of its masked rows. Input: masked_rows.
-- Parameter: $current, whether only what is believed now counts.
SELECT h.part, sha256(string_agg(h.hash, '' ORDER BY h.hash)) AS hash FROM (
    SELECT r.part, sha256(CAST(r.content AS VARCHAR)) AS hash FROM masked_rows AS r WHERE NOT $current OR r.open
) AS h GROUP BY h.part ORDER BY h.part;
