-- Design rule 8: no two rows of one conflict overlap on both clocks. Grain: a row; see select_overlaps.
SELECT dataset, hex(conflict_id) AS part_a, '' AS part_b, valid_from, valid_to, recorded_from, recorded_to FROM graph.conflicts
