-- Design rule 4: no two rows of one facet of one node overlap on both clocks. Grain: a row; see select_overlaps.
SELECT dataset, node_id AS part_a, facet AS part_b, valid_from, valid_to, recorded_from, recorded_to FROM graph.nodes
