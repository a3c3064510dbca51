"""What is learned from annotated examples, through the engine and what may be staged of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from films import FILMS, annotated

from stratagraph.config.model import ExtractionConfig
from stratagraph.errors import ExtractionError
from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.embedded.learned.candidates import Sentence
from stratagraph.extraction.embedded.learned.examples import read_examples
from stratagraph.extraction.embedded.learned.model import Model
from stratagraph.extraction.embedded.learned.source import Examples
from stratagraph.extraction.embedded.learned.training import train
from stratagraph.extraction.engines import engine_of
from stratagraph.extraction.protocol import ChunkInput
from stratagraph.extraction.resolve import resolve
from stratagraph.ontology.load import load_ontology
from stratagraph.project import Project

REFERENCE = datetime(2024, 5, 1, tzinfo=UTC)
PIECES = (
    "Alien", "Ridley", "Scott", "directed", "by", "is", "a", "1979", "film", ".", ",", "(", ")", '"', "“", "”", "《", "》", "—",
    "_", "!", "?", "'", "’s", "²", "½", "王峰", "电影", "\u0301", "\u202e", "\x00", "\ud800", "not", "The", "It",
)  # fmt: skip


def said(engine, ontology, text, topic=None):
    """(subject, relation, object), and the values of attributes, of all that may be staged."""
    chunk = ChunkInput(text, REFERENCE, "en", topic=topic)
    resolved = resolve(chunk, engine.extract(chunk, ontology), ontology)
    assert not resolved.rejected
    names = {entity.ref: entity.name for entity in resolved.entities}
    found = {(names[r.subject], r.predicate.rpartition("#")[2], names[r.object]) for r in resolved.relations}
    found |= {(e.name, a.property.rpartition("#")[2], a.quote) for e in resolved.entities for a in e.attributes}
    return found


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    path = tmp_path_factory.mktemp("films") / "films.ttl"
    path.write_text(FILMS, encoding="utf-8")
    return load_ontology([path])


@pytest.fixture(scope="module")
def example_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("examples") / "films.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in annotated()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def examples(example_file, tmp_path_factory):
    return Examples([example_file], tmp_path_factory.mktemp("models"), min_confidence=0.2)


@pytest.fixture(scope="module")
def engine(examples):
    return EmbeddedExtractor(examples)


def test_other_things_are_read_as_the_examples_are(engine, films):
    text = "Goodfellas is a 1990 American film directed by Martin Scorsese."
    assert said(engine, films, text) == {
        ("Goodfellas", "director", "Martin Scorsese"),
        ("Goodfellas", "year", "1990"),
        ("Goodfellas", "country", "United States of America"),
    }


def test_nothing_is_read_of_a_text_that_states_nothing(engine, films):
    assert said(engine, films, "The weather in Rome was fine, and the trains ran late again.") == set()


@pytest.mark.parametrize(
    "text",
    [
        "Goodfellas was not directed by Brian De Palma.",
        "It is rumoured that Goodfellas was directed by Brian De Palma.",
        "Was Goodfellas directed by Brian De Palma?",
    ],
    ids=["denied", "rumoured", "asked"],
)
def test_what_is_not_stated_is_no_fact(engine, films, text):
    assert said(engine, films, text) == set()


def test_a_topic_names_what_a_pronoun_means_and_gives_way_to_a_sure_subject(engine, films):
    assert ("Goodfellas", "director", "Martin Scorsese") in said(
        engine, films, "It was directed by Martin Scorsese.", "Goodfellas"
    )
    other = said(engine, films, "Nashville was directed by Robert Altman and released in 1975.", "Goodfellas")
    assert ("Nashville", "director", "Robert Altman") in other


def test_an_annotated_text_is_read_as_it_was_annotated(engine, films, example_file):
    for line in example_file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        names = {"publication year": "year", "country of origin": "country"}
        wanted = {(t["subject"], names.get(t["predicate"], t["predicate"]), t["object"]) for t in row["triples"]}
        assert said(engine, films, row["text"]) >= wanted


def test_every_sentence_means_the_likeliest_of_an_unsure_one(examples, films):
    text = "Nashville came from Robert Altman."
    unsure = EmbeddedExtractor(replace(examples, min_confidence=0.99))
    assert said(unsure, films, text) == set()
    assert said(EmbeddedExtractor(replace(examples, min_confidence=0.99, every_sentence=True)), films, text)


def test_a_model_is_the_same_each_time_and_after_it_was_kept(example_file, films, tmp_path):
    found = read_examples([example_file], films)
    one, two = train(found), train(found)
    one.save(tmp_path / "model.npz")
    kept = Model.load(tmp_path / "model.npz")
    for other in (two, kept):
        assert np.array_equal(one.objects, other.objects) and np.array_equal(one.subjects, other.subjects)
        assert (one.seen, one.aliases, one.remembered) == (other.seen, other.aliases, other.remembered)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.npz"]


def test_another_annotation_is_another_engine(examples, example_file, tmp_path):
    changed = tmp_path / "films.jsonl"
    changed.write_text(
        example_file.read_text(encoding="utf-8") + "\n" + example_file.read_text(encoding="utf-8").split("\n")[0]
    )
    engines = [
        EmbeddedExtractor(examples), EmbeddedExtractor(replace(examples, files=[changed])),
        EmbeddedExtractor(replace(examples, min_confidence=0.9)), EmbeddedExtractor(),
    ]  # fmt: skip
    assert len({engine.fingerprint for engine in engines}) == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not an annotated example"),
        ("[]", "not an annotated example"),
        ('{"text": "A b.", "triples": [{"subject": "A", "predicate": "director"}]}', "not an annotated example: 'object'"),
        (
            '{"text": "A b.", "triples": [{"subject": "A", "predicate": "directr", "object": "b"}]}',
            "no property of the ontology",
        ),
        ('{"text": "", "triples": []}', "no text"),
        ('{"text": "\\ud800", "triples": []}', "not an annotated example"),
        (json.dumps({"text": "a" * 3000, "triples": []}), "3,000 characters"),
    ],
    ids=["broken", "list", "no object", "misspelt", "empty", "half a pair", "long"],
)
def test_a_line_that_is_no_example_is_refused_with_its_place(films, tmp_path, line, message):
    path = tmp_path / "examples.jsonl"
    path.write_text('\n{"text": "A b.", "triples": []}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(ExtractionError, match=r"examples\.jsonl:3") as caught:
        read_examples([path], films)
    assert message in str(caught.value)


def test_a_misspelt_predicate_says_what_was_meant(films, tmp_path):
    path = tmp_path / "examples.jsonl"
    path.write_text('{"text": "A b.", "triples": [{"subject": "A", "predicate": "directr", "object": "b"}]}', encoding="utf-8")
    with pytest.raises(ExtractionError, match=r"did you mean https://example\.org/films#director"):
        read_examples([path], films)


def test_a_file_that_is_not_there_and_one_that_says_nothing(films, tmp_path):
    with pytest.raises(ExtractionError, match="cannot be read"):
        read_examples([tmp_path / "none.jsonl"], films)
    (tmp_path / "vain.jsonl").write_text(
        '{"text": "A b.", "triples": [{"subject": "X", "predicate": "director", "object": "Y"}]}', encoding="utf-8"
    )
    with pytest.raises(ExtractionError, match="stand in its text"):
        train(read_examples([tmp_path / "vain.jsonl"], films))


def test_without_scipy_the_message_says_what_to_install():
    program = (
        "import sys; sys.modules['scipy'] = None\n"
        "from stratagraph.extraction.embedded.learned.training import _scipy\n"
        "try: _scipy()\nexcept Exception as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "stratagraph[learn]" in shown


@pytest.mark.parametrize("text", ["a" * 100_000, "Ann " * 20_000, "“" * 5000, "", "\u202e\x00", "(" * 3000, "中" * 5000])
def test_whatever_the_sentence_candidates_are_bounded(text):
    sentence = Sentence(text)
    assert len(sentence.spans) < 3000 and len(sentence.subjects) < 10_000
    assert all(0 <= start < end <= len(sentence.words) for start, end in sentence.spans)


def test_whatever_the_text_reading_breaks_nothing(examples, films):
    """One sentence that breaks the engine would stop all the others."""
    reader = EmbeddedExtractor(replace(examples, min_confidence=0.0, every_sentence=True))
    chosen = random.Random(7)
    relations = 0
    for _ in range(1500):
        joint = chosen.choice(("", " ", " "))
        text = joint.join(chosen.choice(PIECES) for _ in range(chosen.randint(1, 16)))
        chunk = ChunkInput(text, REFERENCE, "en", topic=chosen.choice((None, "Alien")))
        resolved = resolve(chunk, reader.extract(chunk, films), films)
        relations += len(resolved.relations)
        assert {rejection.reason for rejection in resolved.rejected} <= {"ungrounded", "refused_entity"}
    assert relations > 100


def test_examples_that_no_engine_would_read_are_an_error():
    with pytest.raises(ValueError, match="examples are what the embedded engine learns from"):
        ExtractionConfig(engine="openai", examples={"files": ["films.jsonl"]})


def test_a_project_reads_by_its_examples(films, example_file, tmp_path):
    """From the config to what a text says: trained once, kept in the data directory."""
    (tmp_path / "films.ttl").write_text(FILMS, encoding="utf-8")
    (tmp_path / "stratagraph.yaml").write_text(
        "version: 1\nontology: {files: [films.ttl]}\n"
        f"extraction: {{examples: {{files: [{example_file}], min_confidence: 0.2}}}}\n"
    )
    project = Project.load(tmp_path / "stratagraph.yaml")
    for _ in range(2):
        found = said(engine_of(project), films, "Goodfellas is a 1990 American film directed by Martin Scorsese.")
        assert ("Goodfellas", "director", "Martin Scorsese") in found
        (model,) = (project.data_dir / "models").iterdir()
    assert model.suffix == ".npz"
