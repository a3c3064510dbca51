"""The part of a large ontology that is chosen for a text: within its budget, usable, and what a person would expect."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import yaml

from stratagraph.config.model import ExtractionConfig
from stratagraph.documents.tokens import count_tokens
from stratagraph.extraction.openai.prompt import answer_schema, messages
from stratagraph.extraction.openai.vocabulary import BUDGET, Vocabulary
from stratagraph.extraction.protocol import ChunkInput, KnownName
from stratagraph.ontology.load import load_ontology

SCHEMA_ORG = Path(__file__).parents[3] / "shared/data/ontologies/schemaorg-30.0-current-https.ttl"
CHUNKS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "schemaorg_chunks.yaml").read_text(encoding="utf-8"))
AT = datetime(2024, 6, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def schema_org() -> Vocabulary:
    if not SCHEMA_ORG.exists():
        pytest.skip("../shared/data/ontologies is absent")
    return Vocabulary(load_ontology([SCHEMA_ORG]))


def shown(vocabulary: Vocabulary, text: str) -> set[str]:
    selection = vocabulary.selection(text)
    return {vocabulary.names[term.iri] for term in (*selection.classes, *selection.relations, *selection.attributes)}


def recall(vocabulary: Vocabulary, chunk: dict[str, Any], *kinds: str) -> float:
    found = shown(vocabulary, chunk["text"])
    expected = [set(name.split("|")) for kind in kinds for name in chunk[kind]]
    return mean(bool(names & found) for names in expected)


def test_of_schema_org_a_chunk_is_shown_what_a_person_would_expect(schema_org):
    tuned = [chunk for chunk in CHUNKS if not chunk.get("held_out")]
    held_out = [chunk for chunk in CHUNKS if chunk.get("held_out")]
    assert mean(recall(schema_org, chunk, "classes") for chunk in CHUNKS) >= 0.88
    assert mean(recall(schema_org, chunk, "classes", "properties") for chunk in tuned) >= 0.87
    assert mean(recall(schema_org, chunk, "classes", "properties") for chunk in held_out) >= 0.82
    assert min(recall(schema_org, chunk, "classes", "properties") for chunk in CHUNKS) >= 0.55


@pytest.mark.parametrize("chunk", CHUNKS, ids=[chunk["about"] for chunk in CHUNKS])
def test_schema_org_takes_no_more_than_2000_tokens_of_a_request(schema_org, chunk):
    asked = ChunkInput(chunk["text"], AT, "en")
    selection = schema_org.selection(asked.text)
    assert 0.8 * BUDGET < selection.tokens <= BUDGET
    request = [message["content"] for message in messages(schema_org, asked)]
    request.append(json.dumps(answer_schema(schema_org, asked), separators=(",", ":")))
    assert sum(map(count_tokens, request)) <= 2000


def test_the_default_of_the_config_is_what_is_measured_here():
    assert ExtractionConfig().ontology_tokens == BUDGET


def test_what_is_chosen_can_be_used(schema_org):
    for chunk in CHUNKS:
        selection = schema_org.selection(chunk["text"])
        above = {iri for cls in selection.classes for iri in cls.ancestors}
        for prop in (*selection.relations, *selection.attributes):
            assert all(union & above for union in (*prop.domain, *prop.range)), prop.iri


def test_the_choice_is_the_same_every_time(schema_org):
    again = Vocabulary(schema_org.ontology)
    for chunk in CHUNKS[:2]:
        assert again.selection(chunk["text"]).sections == schema_org.selection(chunk["text"]).sections


@pytest.mark.parametrize(
    "text", ["", " \n", "!", "\x00\ud800", "a" * 100_000, "的" * 5000, "word " * 20_000, "𝕏 ٣ ไทย"], ids=range(8)
)
def test_any_text_gets_a_choice(schema_org, text):
    selection = schema_org.selection(text)
    assert selection.classes
    assert selection.tokens <= BUDGET


def test_terms_that_are_superseded_or_only_mentioned_are_not_shown(schema_org):
    assert not {"members", "actors", "awards"} & {*schema_org.names.values()}
    foaf, dublin_core = "http://xmlns.com/foaf/0.1/Person", "http://purl.org/dc/terms/title"
    assert foaf in schema_org.ontology.classes and dublin_core in schema_org.ontology.properties
    assert not {foaf, dublin_core} & {*schema_org.names}
    assert schema_org.names["https://schema.org/Person"] == "Person"


PREFIXES = """
@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""


# What a term is called, and a text that is about it.
CALLED = {
    "opaque IRI": (':GO_0008150 a owl:Class ; rdfs:label "photosynthesis"@en .', "Photosynthesis needs light."),
    "altLabel": (
        ':X1 a owl:Class ; rdfs:label "Kraftwerk"@de ; skos:altLabel "power station"@en .',
        "Power stations were shut.",
    ),
    "Chinese": (':X2 a owl:Class ; rdfs:label "发电站"@zh .', "这座发电站建于1978年。"),
    "Japanese": (':X3 a owl:Class ; rdfs:label "給油所"@ja .', "この給油所は1978年に建てられた。"),
    "near meaning": (':X4 a owl:Class ; rdfs:label "automobile"@en .', "She sold her car and bought two trucks."),
    "comment": (
        ':X5 a owl:Class ; rdfs:label "XB"@en ; rdfs:comment "Ships are built and repaired here."@en .',
        "They repair ships.",
    ),
    "property": (
        ':owns a owl:ObjectProperty ; rdfs:label "has owner"@en ; rdfs:range :Who . :Who a owl:Class .',
        "Who is its owner?",
    ),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """An ontology of many terms that say nothing, and a few that do."""
    noise = (f':C{n} a owl:Class ; rdfs:label "zq{n}x" . :p{n} a owl:ObjectProperty ; rdfs:domain :C{n} .' for n in range(300))
    file = tmp_path_factory.mktemp("large") / "large.ttl"
    file.write_text("\n".join([PREFIXES, *noise, *(term for term, _ in CALLED.values())]), encoding="utf-8")
    return Vocabulary(load_ontology([file]), budget=500)


@pytest.mark.parametrize("kind", CALLED)
def test_a_term_is_found_by_whatever_it_is_called(large, kind):
    term, text = CALLED[kind]
    found = shown(large, text)
    assert large.names["http://e.org/" + term.split(" ", 1)[0].removeprefix(":")] in found
    assert len(found) < 100


def test_the_class_of_a_known_name_is_shown(large):
    text = "Who is its owner?"
    iri, other = next(
        (cls.iri, large.names[cls.iri]) for cls in large.classes if large.names[cls.iri] not in shown(large, text)
    )
    asked = ChunkInput(text, AT, known=(KnownName("Its", iri),))
    system, user = (message["content"] for message in messages(large, asked))
    assert f"\n{other}\n" in system.split("Classes:")[1]
    assert f'Known: [["Its", "{other}"]]' in user
    assert other in answer_schema(large, asked)["properties"]["entities"]["items"]["properties"]["class"]["enum"]


def test_deprecated_terms_are_never_shown(demo_ontology):
    classes = {iri: replace(cls, deprecated=iri.endswith("#Person")) for iri, cls in demo_ontology.classes.items()}
    properties = {iri: replace(prop, deprecated=iri.endswith("#met")) for iri, prop in demo_ontology.properties.items()}
    names = shown(Vocabulary(replace(demo_ontology, classes=classes, properties=properties)), "Ann met Bob.")
    assert {"Organization", "knows"} <= names
    assert not {"Person", "met"} & names
