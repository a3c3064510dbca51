"""What is read of an answer: the whole strictly, its items one by one."""

from __future__ import annotations

import json

import pytest

from stratagraph.extraction.openai.answers import MalformedAnswerError, read_answer
from stratagraph.extraction.openai.prompt import Vocabulary

EX = "https://example.org/stratagraph/demo#"
ENTITY = {"name": "Ann", "class": "Person", "attributes": [{"property": "birthday", "value": "1 May 1990"}]}
RELATION = {"subject": "Ann", "predicate": "worksFor", "object": "Acme", "quote": "Ann works for Acme"}
WHOLE = json.dumps({"entities": [ENTITY], "relations": [RELATION]})
SCHEMA = json.dumps({"type": "object", "properties": {"entities": {"type": "array"}, "relations": {"type": "array"}}})


@pytest.fixture(scope="module")
def vocabulary(demo_ontology):
    return Vocabulary(demo_ontology)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"\ufeff {WHOLE}\n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}```",
        f"Here is the object:\n\n{WHOLE}\n\nI hope that {{this}} helps [1].",
        f"<think>The schema is {SCHEMA}, so {{}} or {{x: 1}} or [{{}}] would not do.</think>{WHOLE}",
        f'{{"entities": [], "relations": []}} would be empty, but there is something: {WHOLE}',
        json.dumps({"reasoning": "Ann works", "entities": [ENTITY], "relations": [RELATION], "confidence": 1}),
        json.dumps({"entities": [ENTITY], "relations": [RELATION]}, indent=2),
        WHOLE.replace('"name": "Ann"', '"name": "Ann", "name": "Ann"'),
    ],
)
def test_what_stands_around_an_answer_is_no_obstacle(vocabulary, text):
    found = read_answer(text, vocabulary)
    assert [(e.name, e.class_iri, e.attributes) for e in found.entities] == [
        ("Ann", EX + "Person", ((EX + "birthday", "1 May 1990"),))
    ]
    assert [(r.subject, r.predicate, r.object, r.ended, r.valid_from) for r in found.relations] == [
        ("Ann", EX + "worksFor", "Acme", False, None)
    ]
    assert found.rejected == ()


@pytest.mark.parametrize(
    ("text", "problem", "is_json"),
    [
        ("", "it is empty", False),
        (" \n ", "it is empty", False),
        ("Sure!", "it is not JSON", False),
        (WHOLE[:-3], "it is not JSON", False),
        (json.dumps([ENTITY]), "a JSON list", True),
        (SCHEMA, "it is the JSON schema", True),
        (f"{WHOLE[:-3]} {SCHEMA}", "it is not JSON", False),
        (json.dumps({"nodes": [], "edges": []}), 'no list "entities"', True),
        (json.dumps({"entities": [], "relationships": [RELATION]}), 'no list "relations"', True),
        (json.dumps({"relations": [RELATION]}), 'no list "entities"', True),
        (json.dumps({"extraction": {"entities": [ENTITY], "relations": []}}), 'no list "entities"', True),
        (json.dumps({"entities": {"Ann": ENTITY}, "relations": []}), "not both lists", True),
        ('{"entities": [1], "relations": [], "entities": []}', "stands twice", True),
        ('{"a":' * 50_000, "it is not JSON", False),
        ("{" * 50_000, "it is not JSON", False),
        ('{"' * 50_000, "it is not JSON", False),
    ],
)
def test_what_is_no_answer_is_said_in_words_for_the_model(vocabulary, text, problem, is_json):
    with pytest.raises(MalformedAnswerError, match=problem) as error:
        read_answer(text, vocabulary)
    assert error.value.is_json == is_json


@pytest.mark.parametrize("text", ['{"entities": []}', '{"entities": [], "relations": null}'])
def test_a_list_that_would_be_empty_may_be_left_out(vocabulary, text):
    found = read_answer(text, vocabulary)
    assert (found.entities, found.relations, found.rejected) == ((), (), ())


@pytest.mark.parametrize(
    ("key", "item", "detail"),
    [
        ("entities", '"Ann"', "'Ann' is no object"),
        ("entities", "7", "'7' is no object"),
        ("entities", "null", "None is no object"),
        ("entities", '["Ann", "Person"]', "is no object"),
        ("entities", '{"class": "Person"}', "'name' is missing"),
        ("entities", '{"name": "", "class": "Person"}', "'' is no text"),
        ("entities", '{"name": null, "class": "Person"}', "None is no text"),
        ("entities", '{"name": NaN, "class": "Person"}', "nan is no text"),
        ("entities", '{"name": {"text": "Ann"}, "class": "Person"}', "is no text"),
        ("entities", '{"name": "Ann", "class": ["Person", "Agent"]}', "is no text"),
        ("entities", '{"name": "Ann", "name": "Bob", "class": "Person"}', "'name' stands twice"),
        ("entities", '{"name": "Ann", "class": "Person", "attributes": {"birthday": "1990"}}', "is no object"),
        ("entities", '{"name": "Ann", "class": "Person", "attributes": 7}', "is no object"),
        ("entities", '{"name": "Ann", "class": "Person", "attributes": [{"property": "birthday"}]}', "'value' is missing"),
        ("entities", '{"name": "\\ud800", "class": "Person"}', "surrogates not allowed"),
        ("relations", '{"subject": "Ann", "predicate": "worksFor", "object": "Acme"}', "'quote' is missing"),
        ("relations", json.dumps(RELATION | {"valid_from": ["2019"]}), "is no text"),
        ("relations", json.dumps(RELATION | {"valid_to_resolved": float("nan")}), "nan is no text"),
        ("relations", json.dumps(RELATION | {"ended": "since March"}), "neither true nor false"),
        ("relations", json.dumps(RELATION | {"ended": 1}), "neither true nor false"),
    ],
)
def test_a_bad_item_is_rejected_alone(vocabulary, key, item, detail):
    others = {"entities": json.dumps(ENTITY), "relations": json.dumps(RELATION)}
    lists = ", ".join(f'"{name}": [{f"{item}, " if name == key else ""}{others[name]}]' for name in others)
    found = read_answer(f"{{{lists}}}", vocabulary)
    assert (len(found.entities), len(found.relations)) == (1, 1)
    [(reason, why, payload)] = found.rejected
    assert reason == "malformed_item"
    assert detail in why
    assert f"{why}{payload}".encode()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"subject": 1984, "valid_from": 2019, "valid_from_resolved": 2019}, ("1984", "2019", "2019")),
        ({"subject": 3.1, "valid_from": 10**20, "valid_from_resolved": "null"}, ("3.1", f"1{'0' * 20}", None)),
        ({"subject": " Ann ", "valid_from": "", "valid_from_resolved": "None"}, ("Ann", None, None)),
        ({"subject": 0, "valid_from": None, "valid_from_resolved": " 2019-03-01 "}, ("0", None, "2019-03-01")),
    ],
)  # fmt: skip
def test_numbers_are_text_as_they_are_written_and_words_for_nothing_are_nothing(vocabulary, given, read):
    found = read_answer(json.dumps({"entities": [], "relations": [RELATION | given]}), vocabulary)
    [relation] = found.relations
    assert (relation.subject, relation.valid_from_text, relation.valid_from) == read


@pytest.mark.parametrize(("given", "ended"), [(True, True), ("True", True), ("false", False), (None, False), ("", False)])
def test_whether_it_ended(vocabulary, given, ended):
    [relation] = read_answer(json.dumps({"entities": [], "relations": [RELATION | {"ended": given}]}), vocabulary).relations
    assert relation.ended == ended


def test_what_is_no_term_is_handed_on_as_it_is(vocabulary):
    """It is refused later, with its reason; nothing is renamed here."""
    item = {"name": "Ann", "class": "Humann", "attributes": [{"property": "brithday", "value": 7}]}
    [entity] = read_answer(json.dumps({"entities": [item], "relations": []}), vocabulary).entities
    assert (entity.class_iri, entity.attributes) == ("Humann", (("brithday", "7"),))
