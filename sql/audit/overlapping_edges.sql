-- Design rule 4: no two rows of one relation overlap on both clocks. Grain: a row; see select_overlaps.
SELECT dataset, edge_id AS part_a, '' AS part_b, valid_from, valid_to, recorded_from, recorded_to FROM graph.edges
