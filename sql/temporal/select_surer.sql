-- Grain: one row that stays, with another confidence: that is no part of what is believed, and has no history. Input: kept, current_rows.
SELECT c.kind AS kind, c.dataset AS dataset, c.content_hash AS content_hash, k.confidence AS confidence
FROM kept AS k JOIN current_rows AS c ON c.number = k.number WHERE k.confidence <> c.confidence
