-- Grain: a refused row that was looked at again and is not refused any more. Input: the registered relation `problems`.
DELETE FROM graph.quarantine
WHERE dataset = $dataset AND stage = $stage
  AND (list_contains(CAST($scopes AS VARCHAR[]), scope) OR coalesce(starts_with(scope, $prefix), false))
  AND quarantine_id NOT IN (SELECT unhex(quarantine_id) FROM problems);
