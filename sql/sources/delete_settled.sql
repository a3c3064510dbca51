-- Grain: the edges of a table that `settled` replaces.
DELETE FROM edges WHERE table_name = $table AND list_contains(CAST($predicates AS VARCHAR[]), predicate);
