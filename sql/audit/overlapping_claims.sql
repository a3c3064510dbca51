-- Design section 3: no two claims of one statement on one row overlap on both clocks. Grain: a row; see select_overlaps.
SELECT dataset, hex(statement_id) AS part_a, row_id || ' ' || facet AS part_b, valid_from, valid_to, recorded_from, recorded_to
FROM graph.claims
