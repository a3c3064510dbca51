"""What may be staged of what an engine found: each item is staged or refused with its reason, whatever the engine."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from small_ontologies import E, a_class, a_property, an_ontology

from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation, Extraction
from stratagraph.extraction.resolve import Resolved, local_ref, resolve
from stratagraph.ontology.model import CORE, THING, Restriction
from stratagraph.ontology.xsd import XSD

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
ONTOLOGY = an_ontology(
    a_class("Person", labels=(("en", "person"), ("zh", "人物"))), a_class("Org", alt_labels=(("en", "company"),)),
    a_class("Fan", "Person", restrictions=(Restriction(E + "likes", "max", 2),)), a_class("Old", deprecated=True),
    replace(a_class("Event"), iri=CORE + "Event", ancestors=frozenset([CORE + "Event"])),
    replace(a_class("Launch"), ancestors=frozenset([E + "Launch", CORE + "Event"])),
    a_property("worksFor", domain="Person", range="Org", functional=True, inverses=frozenset([E + "employs"]),
               labels=(("en", "works for"),)),
    a_property("employs", inverses=frozenset([E + "worksFor"])), a_property("likes"), a_property("dislikes"),
    a_property("loves", "likes"), a_property("parentOf", asymmetric=True), a_property("sameAs", irreflexive=True),
    a_property("attends", domain="Person"),
    a_property("birthday", kind="data", domain="Person", functional=True, datatypes=frozenset([XSD + "date"])),
    a_property("nick", kind="data", labels=(("en", "nick name"),)),
    a_property("staff", kind="data", datatypes=frozenset([XSD + "integer"])),
    disjoint_classes=[("Person", "Org")], disjoint_properties=[("likes", "dislikes")],
)  # fmt: skip


def entity(name: str, class_: str = "Person", *attributes: tuple[str, str], **rest) -> ExtractedEntity:
    pairs = tuple((E + name if ":" not in name else name, value) for name, value in attributes)
    return ExtractedEntity(name, E + class_ if ":" not in class_ else class_, attributes=pairs, **rest)


def relation(subject: str, predicate: str, object_: str, quote: str | None = None, **rest) -> ExtractedRelation:
    return ExtractedRelation(subject, E + predicate, object_, quote or subject, **rest)


def read(text: str, *items: ExtractedEntity | ExtractedRelation, **chunk) -> Resolved:
    entities = tuple(item for item in items if isinstance(item, ExtractedEntity))
    relations = tuple(item for item in items if isinstance(item, ExtractedRelation))
    return resolve(ChunkInput(text, REFERENCE, "en", **chunk), Extraction(entities, relations), ONTOLOGY)


def reasons(resolved: Resolved) -> list[str]:
    return [rejection.reason for rejection in resolved.rejected]


def attributes(resolved: Resolved) -> list[tuple[str, str, str]]:
    found = [attribute for found in resolved.entities for attribute in found.attributes]
    return [(a.property.removeprefix(E), a.value, a.quote) for a in found]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (entity("Ann"), None),
        (entity("Ann", "Wizard"), "unknown_class"),
        (entity("Ann", "Old"), "deprecated"),
        (entity("Bob"), "ungrounded"),
        (entity("An"), "ungrounded"),
        (entity("…"), "no_name"),
        (entity("x" * 501), "name_too_long"),
        (entity("Ann", quote="Ann and Acme"), None),
        (entity("Ann", quote="Ann or Acme"), "ungrounded"),
        (entity("Ann", valid_from_text="2024-02-30"), "invalid_time"),
        (replace(entity("Ann"), class_iri="person"), None),
        (replace(entity("Ann"), class_iri="ex:Person"), None),
        (replace(entity("Ann"), class_iri="人物"), None),
        (replace(entity("Ann"), class_iri="Persons"), "unknown_class"),
    ],
)
def test_an_entity(found, reason):
    resolved = read("Ann and Acme met until 2024-02-30.", found)
    assert reasons(resolved) == ([reason] if reason else [])
    assert [e.class_iri for e in resolved.entities] == ([] if reason else [E + "Person"])
    if reason:
        assert json.loads(resolved.rejected[0].payload)["name"] == found.name


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (relation("Ann", "worksFor", "Acme"), None),
        (relation("Ann", "worksFor", "Acme", "Ann joined Acme"), None),
        (relation("Ann", "worksFor", "Acme", "Ann left Acme"), "ungrounded"),
        (relation("Acme", "worksFor", "Ann"), "domain"),
        (relation("Acme", "employs", "Ann"), None),
        (relation("Ann", "employs", "Acme"), "domain"),  # what its inverse says holds of it as well
        (relation("Ann", "worksFor", "Globex"), "unknown_entity"),
        (relation("Ann", "worksFor", "Wiz"), "refused_entity"),
        (relation("Ann", "birthday", "Acme"), "not_an_object_property"),
        (relation("Ann", "sacked", "Acme"), "unknown_property"),
        (replace(relation("Ann", "", "Acme"), predicate="works_for"), None),
        (replace(relation("Ann", "", "Acme"), predicate="birthday"), "not_an_object_property"),
        (relation("Ann", "sameAs", "Ann"), "irreflexive"),
        (relation("Ann", "parentOf", "Ann"), "asymmetric"),
        (relation("Ann", "likes", "Ann"), None),
        (relation("Ann", "likes", "Acme", valid_from="2020-01-01", valid_to="2019-01-01"), "valid_from_after_valid_to"),
        (relation("Ann", "likes", "Acme", valid_from_text="March 1999"), "invalid_time"),
    ],
)
def test_a_relation(found, reason):
    resolved = read("Ann joined Acme with Wiz.", entity("Ann"), entity("Acme", "Org"), entity("Wiz", "Wizard"), found)
    assert reasons(resolved) == ["unknown_class", *([reason] if reason else [])]
    assert len(resolved.relations) == (reason is None)


def test_what_is_refused_names_the_axiom_and_what_was_probably_meant():
    resolved = read("Ann joined Acme.", entity("Ann"), entity("Acme", "Orgs"), relation("Ann", "worksFor", "Ann"))
    assert [rejection.detail for rejection in resolved.rejected] == [
        f"{E}Orgs is not a class of the ontology; did you mean {E}Org?",
        f"{E}worksFor rdfs:range {E}Org, not {E}Person",
    ]


@pytest.mark.parametrize(
    ("property_", "written", "value", "quote"),
    [
        ("birthday", "17 March 2020", "2020-03-17", "17 March 2020"),
        ("birthday", "yesterday", "2020-06-14", "yesterday"),
        ("birthday", "2020-03-17", "2020-03-17", "2020-03-17"),
        ("staff", "1,200", "1200", "1,200"),
        ("nick", "the  Hammer", "the  Hammer", "the\nHammer"),
    ],
)
def test_a_value_is_kept_in_its_datatypes_form_and_the_quote_keeps_the_words(property_, written, value, quote):
    resolved = read(
        "Ann, the\nHammer, since yesterday: 17 March 2020, 2020-03-17, 1,200 people",
        entity("Ann", "Person", (property_, written)),
    )
    assert attributes(resolved) == [(property_, value, quote)]
    assert not resolved.rejected


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        (("birthday", "March 2020"), "datatype"),
        (("birthday", "2024-02-30"), "datatype"),
        (("staff", "17 km"), "datatype"),
        (("staff", "7"), "ungrounded"),
        (("nick", "Al"), "ungrounded"),
        (("nick", ""), "ungrounded"),
        (("likes", "17"), "not_a_data_property"),
        (("shoe", "17"), "unknown_property"),
    ],
)
def test_a_value_that_breaks_a_rule_is_refused_alone(attribute, reason):
    resolved = read("Ann, March 2020, 2024-02-30, 17 km", entity("Ann", "Person", attribute))
    assert (len(resolved.entities), reasons(resolved), attributes(resolved)) == (1, [reason], [])
    assert json.loads(resolved.rejected[0].payload) == {"entity": "Ann", "property": E + attribute[0], "value": attribute[1]}


def test_values_of_one_property_stand_side_by_side_unless_it_has_one():
    text = "Ann aka Annie aka Nan was born 1990-01-01, or 1991-01-01. Ann!"
    said = [("nick", "Annie"), ("nick", "Nan"), ("nick", "Annie"), ("birthday", "1990-01-01"), ("birthday", "1991-01-01")]
    resolved = read(text, entity("Ann", "Person", *said[:2]), entity("ann", "Person", *said[2:]))
    found = [attribute for e in resolved.entities for attribute in e.attributes]
    assert [a.value for a in found] == ["Annie", "Nan", "1990-01-01", "1991-01-01"]
    assert len({a.facet for a in found}) == 3
    assert [a.facet.partition("=")[0] for a in found] == [a.property for a in found]
    assert {a.facet for a in found if a.property == E + "birthday"} == {E + "birthday"}


def held(resolved: Resolved) -> set[str]:
    return {r.predicate.removeprefix(E) for r in resolved.relations}


@pytest.mark.parametrize(
    ("one", "other", "kept", "reason"),
    [
        ({}, {}, set(), "disjoint_properties"),
        ({"confidence": 0.9}, {"confidence": 0.8}, {"loves"}, "disjoint_properties"),
        ({"confidence": 0.8}, {"confidence": 0.9}, {"dislikes"}, "disjoint_properties"),
        ({"ended": True}, {}, {"loves", "dislikes"}, None),
        ({"valid_from": "2018"}, {"valid_from": "2019"}, {"loves", "dislikes"}, None),
        ({"valid_from": "2018", "valid_to": "2019"}, {"valid_from": "2019", "valid_to": "2020"}, {"loves", "dislikes"}, None),
        ({"valid_from": "2017", "valid_to": "2019"}, {"valid_from": "2018", "valid_to": "2020"}, set(), "disjoint_properties"),
        ({"valid_from": "2017", "valid_to": "2019"}, {"valid_from": "2018"}, set(), "disjoint_properties"),
    ],
)
def test_two_relations_that_cannot_both_be_at_one_time(one, other, kept, reason):
    found = [relation("Ann", "loves", "Acme", **one), relation("Ann", "dislikes", "Acme", **other)]
    for order in (found, found[::-1]):
        resolved = read("Ann and Acme", entity("Ann"), entity("Acme", "Org"), *order)
        assert held(resolved) == kept
        assert reasons(resolved) == [reason] * (2 - len(kept))


def test_what_clashes_with_something_surer_takes_nothing_else_along():
    items = [entity("Ann"), entity("Acme", "Org"), relation("Ann", "dislikes", "Acme", confidence=0.9),
             relation("Ann", "loves", "Acme", confidence=0.5), relation("Acme", "dislikes", "Ann", confidence=0.5)]  # fmt: skip
    resolved = read("Ann and Acme", *items)
    assert [(r.subject.split("/")[-1], r.predicate.removeprefix(E)) for r in resolved.relations] == [
        ("ann", "dislikes"), ("acme", "dislikes"),
    ]  # fmt: skip


def test_more_than_a_cardinality_allows_at_once_is_refused_and_over_time_it_is_not():
    names = ["Ben", "Cem", "Dan"]
    people = [entity("Ann", "Fan"), *(entity(name) for name in names)]
    text = "Ann likes Ben, Cem and Dan"
    at_once = read(text, *people, *(relation("Ann", "likes", name) for name in names))
    assert ([r.object.split("/")[-1] for r in at_once.relations], reasons(at_once)) == (["ben", "cem"], ["cardinality"])
    over_time = [relation("Ann", "likes", name, valid_from=f"201{n}") for n, name in enumerate(names)]
    assert len(read(text, *people, *over_time).relations) == 3
    periods = {"Ben": ("2010", "2020"), "Cem": ("2010", "2015"), "Dan": ("2015", "2020")}
    either = [relation("Ann", "likes", name, valid_from=since, valid_to=until) for name, (since, until) in periods.items()]
    for order in (either, either[::-1]):
        assert len(read(text, *people, *order).relations) == 3  # two at any moment


def test_a_name_of_two_disjoint_classes_is_of_the_surer_one():
    resolved = read("Mercury shines", entity("Mercury", "Org", confidence=0.5), entity("Mercury", confidence=0.9))
    assert ([e.class_iri for e in resolved.entities], reasons(resolved)) == ([E + "Person"], ["disjoint_classes"])


def test_an_event_has_its_time_and_what_is_said_of_it_holds_then():
    text = "The rocket went up in Kourou on 5 May 2019; Ann watched. It went up again on 7 June 2019."
    first = entity("lift-off", "Launch", ("nick", "rocket"), quote="The rocket went up", valid_from_text="5 May 2019")
    second = entity("lift-off", "Launch", quote="It went up again", valid_from_text="7 June 2019")
    attends = relation("Ann", "attends", "lift-off", "Ann watched", valid_from_text="7 June 2019")
    resolved = read(text, entity("Ann"), first, second, attends, relation("Ann", "likes", "lift-off", "Ann watched"))
    assert not resolved.rejected
    events = [e for e in resolved.entities if e.class_iri == E + "Launch"]
    assert [(e.valid_from, e.valid_to, text[e.start : e.end]) for e in events] == [
        ("2019-05-05T00:00:00Z", None, "The rocket went up"), ("2019-06-07T00:00:00Z", None, "It went up again"),
    ]  # fmt: skip
    assert len({e.ref for e in events}) == 2  # two lift-offs
    assert [(r.predicate, r.object, r.valid_from) for r in resolved.relations] == [
        (E + "attends", events[1].ref, "2019-06-07T00:00:00Z"), (E + "likes", events[0].ref, "2019-05-05T00:00:00Z"),
    ]  # fmt: skip
    made_up = read(text, replace(first, quote="The rocket blew up"), entity("Bob", "Person", quote="Ann watched"))
    assert reasons(made_up) == ["ungrounded", "ungrounded"]  # a person has a name, and it must stand there


def test_what_is_said_twice_is_said_once_and_both_directions_are_one():
    said = [relation("Ann", "worksFor", "Acme", confidence=0.3), relation("Acme", "employs", "Ann", confidence=0.7)]
    resolved = read("Ann, Acme", entity("Ann"), entity("Acme", "Org"), *said, *said)
    assert [(r.predicate, r.confidence) for r in resolved.relations] == [(E + "worksFor", 0.7)]


@pytest.mark.parametrize("confidence", [float("nan"), -1.0, 7.0])
def test_hostile_answers_are_refused_and_can_be_stored(confidence):
    bad = [entity("\ud800"), entity("Ann", confidence=confidence), relation("Ann", "likes", "\udfff", "\ud800"),
           entity("Ann", "Person", ("nick", "\ud800"), ("nick", "\x00"), ("nick", "A" * 100_000))]  # fmt: skip
    resolved = read("Ann met \u202eAcme\x00", *bad)
    kept = json.dumps(resolved.as_dict(), ensure_ascii=False, allow_nan=False)
    assert len(kept.encode()) < 20_000
    assert 0 <= resolved.entities[0].confidence <= 1
    assert sorted(reasons(resolved)) == ["no_name", "ungrounded", "ungrounded", "ungrounded", "ungrounded"]


def test_refs_are_of_the_class_and_the_normalised_name():
    assert local_ref(ONTOLOGY, E + "Person", "Ann  O’Neil/Lee") == "name/Person/ann%20oneil%20lee"
    other = replace(a_class("Person"), iri="http://other.org/Person", ancestors=frozenset(["http://other.org/Person"]))
    both = an_ontology(a_class("Person"), other)
    refs = [local_ref(both, iri, "Ann") for iri in (E + "Person", "http://other.org/Person")]
    assert len(set(refs)) == 2  # one local name in two namespaces stays two classes
    assert all(ref.startswith("name/Person~") and ref.endswith("/ann") for ref in refs)


def test_an_answer_without_end_takes_no_time_without_end():
    zalgo = "e" + "\u0301\u0323" * 500_000
    bad = [entity(zalgo), replace(entity("Ann"), class_iri=zalgo), entity("Ann", "Person", ("staff", zalgo), (zalgo, "Ann")),
           relation("Ann", "likes", zalgo), relation("Ann", "likes", "Ann", zalgo),
           replace(relation("Ann", "likes", "Ann"), predicate=zalgo)]  # fmt: skip
    started = time.process_time()
    resolved = read("Ann", *bad)
    assert reasons(resolved) == [
        "name_too_long", "unknown_class", "ungrounded", "unknown_property", "refused_entity", "ungrounded", "unknown_property",
    ]  # fmt: skip
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("Ann works for Acme", None),
        ("Ann", None),
        ("an office of Acme", None),
        ("The weather was fine", "ungrounded"),
        ("Anna", "ungrounded"),
    ],
)
def test_a_quote_names_what_it_is_to_prove_something_of(quote, reason):
    text = "The weather was fine. Anna and Bob met in an office of Acme. Ann works for Acme."
    resolved = read(text, entity("Ann"), entity("Acme", "Org"), relation("Ann", "worksFor", "Acme", quote))
    assert reasons(resolved) == ([reason] if reason else [])


def test_the_topic_may_be_called_otherwise_in_the_text():
    items = entity("Acme", "Org"), entity("Ann"), relation("Ann", "worksFor", "Acme", "The company hired Ann")
    assert reasons(read("The company hired Ann.", *items)) == ["ungrounded", "refused_entity"]
    resolved = read("The company hired Ann.", *items, topic="ACME")
    assert not resolved.rejected and len(resolved.relations) == 1
    assert [(e.start, e.end) for e in resolved.entities if e.name == "Acme"] == [(0, 11)]
    for other in ("Ann was hired.", "The dog likes The company of Ann's.".replace("The company", "the cat")):
        assert "ungrounded" in reasons(read(other, *items, topic="Acme"))


def test_a_thing_of_no_class_stands_only_where_anything_may():
    things = replace(entity("Ann"), class_iri=THING), entity("Bob"), entity("Acme", "Org")
    resolved = read("Ann, Bob, Acme", *things, relation("Bob", "likes", "Ann"), relation("Ann", "worksFor", "Acme"))
    assert [r.predicate for r in resolved.relations] == [E + "likes"] and reasons(resolved) == ["domain"]


@pytest.mark.parametrize("ended", [False, True])
def test_a_period_that_ended_is_a_period(ended):
    """Beside when it ended, it is said since when it was so; a text that says only the end, says only that."""
    said = relation("Ann", "worksFor", "Acme", "Ann was at Acme from 2010 to 2014", ended=ended)
    found = [replace(said, valid_from_text="2010", valid_to_text="2014"), replace(said, valid_to_text="2014", object="Orb")]
    resolved = read(
        "Ann was at Acme from 2010 to 2014, at Orb.", entity("Ann"), entity("Acme", "Org"), entity("Orb", "Org"), *found
    )
    spans = [(r.object, r.polarity, (r.valid_from or "")[:4], (r.valid_to or "")[:4]) for r in resolved.relations]
    end = [("name/Org/acme", "retract", "2014", "")] if ended else []
    assert spans == [("name/Org/acme", "assert", "2010", "2014"), *end, ("name/Org/orb", "retract", "2014", "")]
    assert not resolved.rejected
