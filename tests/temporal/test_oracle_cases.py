"""Small stories in which the oracle once found belief to be wrong."""

from __future__ import annotations

import random

from oracle import END, Said
from stories import KNOWN_EPOCH, Story

from stratagraph.temporal.commit import apply_rules

ANY = random.Random(0)


def test_a_replay_of_a_batch_that_repeats_one_statement_and_brings_another() -> None:
    """X was known; {X, Y} is told, and told again: X may not be observed anew by the second time."""
    story = Story(1)
    x = Said("A", "urn:1:0", "f", None, "a", 0, END)
    y = x._replace(value="b", start=1)
    story.tell([x], source="A")
    story.tell([x, y], source="A")
    story.tell_again([x, y], ANY, source="A")


def test_another_class_is_another_value_of_the_same_key() -> None:
    """X, then Y of another class, then X again: X is observed anew and stands."""
    story = Story(1)
    x = Said("A", "urn:1:0", "f", None, "a", 0, END)
    for said in (x, x._replace(value="c"), x):
        story.tell([said], source="A")
    assert [letter for (letter,) in story.connection.execute("SELECT class FROM graph.nodes_open").fetchall()] == ["urn:P"]


def test_another_name_of_the_same_thing_speaks_of_the_same_key() -> None:
    """X of one ref, Y of another that is the same thing, then X again: X is observed anew and stands."""
    story = Story(1)
    x = Said("A", "urn:1:0", "f", None, "a", 0, END)
    story.tell([], source="A", links=[("urn:1:0", "key0", "urn:1:1", "key1")])
    for said in (x, x._replace(subject="urn:1:1", value="b"), x):
        story.tell([said], source="A")
    found = story.connection.execute("SELECT properties FROM graph.nodes_open").fetchall()
    assert found == [("{}",)]


def test_another_object_of_a_many_valued_relation_is_another_key() -> None:
    """X(o) said in passing, then X(p), then X(o) again: what was observed of X(o) in the meantime stands."""
    story = Story(1)
    x = Said("A", "urn:1:0", "urn:p:many", "urn:1:1", "a", 0, END)
    story.tell([x, x._replace(value="b", observed=4)], source="A")
    story.tell([x._replace(target="urn:1:0")], source="A")
    story.now = 9
    story.tell([x], source="A")
    found = story.connection.execute("SELECT properties FROM graph.edges_open WHERE object = 'urn:1:1'").fetchall()
    assert found != [("{}",)]


def test_a_retraction_without_object_can_be_withdrawn_when_its_relation_became_many_valued() -> None:
    story = Story(1)
    story.tell([Said("A", "urn:1:0", "urn:p:single", None, None, 0, None)], source="A")
    story.change_rules([])
    story.tell([], source="A", complete=True)
    assert story.connection.execute("SELECT count(*) FROM graph.statements WHERE recorded_to = 'infinity'").fetchall() == [(0,)]


def test_confidence_does_not_depend_on_cuts() -> None:
    found = []
    x = Said("A", "urn:1:0", "f", None, "a", 0, 5, observed=0, sequence=1)
    y = Said("A", "urn:1:0", "f", None, "a", 2, 4, observed=0, sequence=2)
    for batches in ([[x, y]], [[x], [y]], [[y], [x]]):
        story = Story(1)
        for batch in batches:
            story.tell(batch, source="A")
        found.append(story.connection.execute("SELECT confidence, valid_from, valid_to FROM graph.nodes_open").fetchall())
    assert found[0] == found[1] == found[2]


def test_confidence_does_not_depend_on_what_a_row_once_was_part_of() -> None:
    """b@5 (0.5) joins b@2 (1.0) to one row, of which c@4 leaves a piece from 5 on."""
    found = []
    five = Said("A", "urn:1:0", "f", None, "b", 5, None, observed=0, sequence=1)
    two, four = five._replace(start=2, sequence=0), five._replace(start=4, value="c", sequence=0)
    for order in ((five, two, four), (four, two, five)):
        story = Story(1)
        for said in order:
            story.tell([said], source="A")
        rows = story.connection.execute("SELECT valid_from, class, confidence FROM graph.nodes_open ORDER BY 1").fetchall()
        found.append(rows)
    assert found[0] == found[1]


def test_rules_are_applied_to_one_dataset_at_a_time() -> None:
    story = Story(1, datasets=("main", "other"))
    for target in ("urn:1:1", "urn:1:2"):
        story.tell([Said("A", "urn:1:0", "urn:p:many", target, "a", 0, None, dataset="other")], source="A", dataset="other")
    before = story.fingerprints()
    story.connection.execute("INSERT INTO graph.ontology_properties VALUES ('other', 'urn:p:many', 'many', TRUE)")
    assert apply_rules(story.connection, dataset="main", batch_id="main", clock=lambda: KNOWN_EPOCH).rows_written == 0
    assert story.fingerprints() == before
    assert apply_rules(story.connection, dataset="other", batch_id="other", clock=lambda: KNOWN_EPOCH).rows_written > 0
