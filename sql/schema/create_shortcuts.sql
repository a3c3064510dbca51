-- Grain: the names of create_interface.sql without their schema, so that a plain `duckdb file` session can use them as they are.
CREATE OR REPLACE VIEW nodes_now AS SELECT * FROM graph.nodes_now;
CREATE OR REPLACE VIEW edges_now AS SELECT * FROM graph.edges_now;
CREATE OR REPLACE MACRO nodes_as_of(valid_at, known_at) AS TABLE SELECT * FROM graph.nodes_as_of(valid_at, known_at);
CREATE OR REPLACE MACRO edges_as_of(valid_at, known_at) AS TABLE SELECT * FROM graph.edges_as_of(valid_at, known_at);
CREATE OR REPLACE MACRO node_at(of_id, valid_at, known_at) AS TABLE SELECT * FROM graph.node_at(of_id, valid_at, known_at);
CREATE OR REPLACE MACRO history_of(of_id) AS TABLE SELECT * FROM graph.history_of(of_id);
CREATE OR REPLACE MACRO changes_between(known_a, known_b) AS TABLE SELECT * FROM graph.changes_between(known_a, known_b);
CREATE OR REPLACE MACRO timeline_of(of_subject, of_predicate) AS TABLE SELECT * FROM graph.timeline_of(of_subject, of_predicate);
CREATE OR REPLACE MACRO neighbors_of(of_id, hops, valid_at, known_at) AS TABLE
    SELECT * FROM graph.neighbors_of(of_id, hops, valid_at, known_at);
CREATE OR REPLACE MACRO evidence_of(of_id) AS TABLE SELECT * FROM graph.evidence_of(of_id);
CREATE OR REPLACE MACRO node_spans(known_at) AS TABLE SELECT * FROM graph.node_spans(known_at);
CREATE OR REPLACE MACRO edges_within_ends(known_at) AS TABLE SELECT * FROM graph.edges_within_ends(known_at);
CREATE OR REPLACE VIEW edges_labelled AS SELECT * FROM graph.edges_labelled;
CREATE OR REPLACE MACRO diff_between(valid_a, known_a, valid_b, known_b) AS TABLE
    SELECT * FROM graph.diff_between(valid_a, known_a, valid_b, known_b);
CREATE OR REPLACE MACRO holds_at(starts, ends, moment) AS graph.holds_at(starts, ends, moment);
CREATE OR REPLACE MACRO overlap(starts, ends, other_starts, other_ends) AS graph.overlap(starts, ends, other_starts, other_ends);
