"""The embedded engine, sentence by sentence: what it reads, and what it rightly leaves out."""

from __future__ import annotations

import json
import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkInput, Extraction, KnownName
from stratagraph.extraction.resolve import resolve

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def engine():
    return EmbeddedExtractor()


def read(engine, ontology, text, *, speaker=None, known=(), language="en"):
    found = engine.extract(ChunkInput(text, REFERENCE, language, speaker, known), ontology)
    return [
        (r.subject, r.predicate.rpartition("#")[2], r.object, (r.valid_from or "")[:10], (r.valid_to or "")[:10])
        + (("ended",) if r.ended else ("",))
        for r in found.relations
    ]


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("Elena Novak moved from Delta Foods to Cobalt Labs in August 2015.",
         [("Elena Novak", "worksFor", "Cobalt Labs", "2015-08-01", "", "")]),
        ("Alice left Acme for Globex in 2020.", [("Alice", "worksFor", "Globex", "2020-01-01", "", "")]),
        ("Alice left Acme in 2020.", [("Alice", "worksFor", "Acme", "2020-01-01", "", "ended")]),
        ("Alice no longer works at Acme.", [("Alice", "worksFor", "Acme", "", "", "ended")]),
        ("Alice worked at Acme from 2010 to 2014.", [("Alice", "worksFor", "Acme", "2010-01-01", "2014-01-01", "")]),
        ("Alice Haddad joined Acme in 2019 and moved to Globex in March 2020.",
         [("Alice Haddad", "worksFor", "Acme", "2019-01-01", "", ""),
          ("Alice Haddad", "worksFor", "Globex", "2020-03-01", "", "")]),
        ("Alice joined Acme in 2019 and in 2020 moved to Globex.",
         [("Alice", "worksFor", "Acme", "2019-01-01", "", ""), ("Alice", "worksFor", "Globex", "2020-01-01", "", "")]),
        ("In 2019, Alice Haddad joined Acme Inc.", [("Alice Haddad", "worksFor", "Acme Inc", "2019-01-01", "", "")]),
        ("Alice joined Acme yesterday; Bob works for Delta Foods.",
         [("Alice", "worksFor", "Acme", "2020-06-14", "", ""), ("Bob", "worksFor", "Delta Foods", "", "", "")]),
        ("Acme hired Alice Haddad on 3 March 2019.", [("Acme", "employs", "Alice Haddad", "2019-03-03", "", "")]),
        ("The University of Oslo hired Bob.", [("University of Oslo", "employs", "Bob", "", "", "")]),
        ("Dr. Alice Haddad, who recently joined the company Acme Corp, met Bob.",
         [("Alice Haddad", "worksFor", "Acme Corp", "", "", ""), ("Alice Haddad", "met", "Bob", "", "", "")]),
        ("Alice met Bob Stone and Carol Rao in Cork.",
         [("Alice", "met", "Bob Stone", "", "", ""), ("Alice", "met", "Carol Rao", "", "", "")]),
        ("Delta Foods is based in New York.", [("Delta Foods", "basedIn", "New York", "", "", "")]),
        ("ALICE\nHaddad", []),
    ],
)  # fmt: skip
def test_what_is_said(engine, demo_ontology, text, relations):
    assert read(engine, demo_ontology, text) == relations


@pytest.mark.parametrize(
    "text",
    [
        "Alice has not joined Acme.", "Alice never worked at Acme.", "Alice didn't join, and Bob hasn't joined Acme.",
        "If Alice joined Acme, all would be well.", "Alice might have joined Acme.", "Alice would like to work at Acme.",
        "Rumour has it that Alice joined Acme.", "Alice reportedly joined Acme.", "Bob denied that Alice joined Acme.",
        "Did Alice join Acme?", "Alice joined Acme?", "Alice plans to join; she may have joined Acme.",
        "He joined Acme.", "They moved to Paris.", "Alice works at Acme's subsidiary.", "Alice's brother joined Acme.",
        "Alice joined Acme before 2010.", "Alice joined the club.", "joined Acme", "works at",
        "The rain stopped.", "Alice, Bob's sister and a friend of Carol, joined Acme.", "Acme Inc joined Globex.",
        "She administers Acme's organisation on a forge.", "", "。", "?!", "《", "\x00 \ufffd \U0001f600", "a" * 5000,
    ],
)  # fmt: skip
def test_what_is_not_said_is_not_read(engine, demo_ontology, text):
    assert read(engine, demo_ontology, text) == []


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("I really enjoy painting, playing piano and tea tasting. Do you have any good book recommendations for me?",
         ["likes painting", "likes playing piano", "likes tea tasting"]),
        ("I love traveling and watching movies. How about you?", ["likes traveling", "likes watching movies"]),
        ("I like comedies and romance films.", ["likes comedies", "likes romance films"]),
        ("I don't like hiking.", ["dislikes hiking"]),
        ("I no longer enjoy hiking.", ["likes hiking"]),
        ("I've always loved Gulangyu Island.", ["likes Gulangyu Island"]),
        ("I went to Green Meadow Park and saw a squirrel!", ["visited Green Meadow Park"]),
        ('I\'m currently reading a novel about love called "Silent Separation".', ["read Silent Separation"]),
        ("I like it. I love you. I enjoy the sea. I like to read. I'd love a coffee. I would love to visit Oslo.", []),
        ("Do you think I like hiking?", []),
        ("You like hiking and my mother likes tea.", []),
    ],
)  # fmt: skip
def test_i_is_the_speaker(engine, demo_ontology, text, objects):
    found = read(engine, demo_ontology, text, speaker="Emily", known=(KnownName("Emily"),))
    assert [f"{predicate} {object_}" for _, predicate, object_, *_ in found] == objects
    assert {subject for subject, *_ in found} <= {"Emily"}
    assert read(engine, demo_ontology, text) == []  # without a speaker, nobody knows who that is


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        (
            "我喜欢徒步、长跑、打篮球、军事史研究和攀岩。",
            ["likes 徒步", "likes 长跑", "likes 打篮球", "likes 军事史研究", "likes 攀岩"],
        ),
        ("我还很喜欢读书，最近正在看一本讲述爱情的小说《何以笙箫默》，让我心情很多变。", ["likes 读书", "read 何以笙箫默"]),
        ("我最喜欢的是《听妈妈的话》，那首歌非常有感觉。", ["likes 听妈妈的话"]),
        ("我去的是绿禾公园，看到了樱花。", ["visited 绿禾公园"]),
        ("我不喜欢跑步。", ["dislikes 跑步"]),
        ("我喜欢晴朗、温暖的天气。", []),
        ("你喜欢徒步吗？", []),
        ("如果我喜欢徒步就好了。", []),
        ("我的朋友喜欢徒步。", []),
        ("我们喜欢徒步。", []),
    ],
)
def test_chinese(engine, demo_ontology, text, objects):
    found = read(engine, demo_ontology, text, speaker="王峰", language="zh")
    assert [f"{predicate} {object_}" for _, predicate, object_, *_ in found] == objects


def test_an_impossible_date_is_reported_and_not_bent(engine, demo_ontology):
    found = engine.extract(ChunkInput("Alice works at Acme since 2024-02-30.", REFERENCE), demo_ontology)
    assert found.relations == ()
    assert found.rejected[0][0] == "invalid_time"


def test_names_whose_form_tells_their_class_are_entities_on_their_own(engine, demo_ontology):
    text = 'Emily said hello. Have you read "The Little Prince" or 《百年孤独》 in Green Meadow Park? "Hello there," he said.'
    found = engine.extract(ChunkInput(text, REFERENCE, known=(KnownName("Emily"),)), demo_ontology)
    named = sorted((e.name, e.class_iri.rpartition("#")[2]) for e in found.entities)
    assert named == [("Emily", "Person"), ("Green Meadow Park", "Place"), ("The Little Prince", "Work"), ("百年孤独", "Work")]


def test_an_answer_survives_its_json(engine, demo_ontology):
    found = engine.extract(ChunkInput("Alice worked at Acme from 2010 to 2014.", REFERENCE), demo_ontology)
    assert Extraction.from_json(found.to_json()) == found


def test_it_is_fast_enough(engine, demo_ontology):
    """Well under 10 ms of CPU for a chunk of a thousand characters."""
    text = "Elena Novak moved from Delta Foods to Cobalt Labs in August 2015. Cobalt Labs is based in Oslo. " * 10
    engine.extract(ChunkInput(text, REFERENCE), demo_ontology)
    started = time.process_time()
    for _ in range(20):
        engine.extract(ChunkInput(text, REFERENCE), demo_ontology)
    assert (time.process_time() - started) / 20 < 0.02


@pytest.mark.parametrize(
    "text",
    [
        "joined " * 3000,
        "我" * 20_000,
        "我喜欢徒步、" * 3000,
        "“Abc " * 4000,
        "Alice Haddad joined Acme and " * 700,
        '"' * 20_000,
    ],
    ids=["cues", "pronouns", "chinese", "quotes", "coordination", "marks"],
)
def test_text_without_end_takes_no_time_without_end(engine, demo_ontology, text):
    started = time.process_time()
    engine.extract(ChunkInput(text, REFERENCE, speaker="王峰"), demo_ontology)
    assert time.process_time() - started < 2


def test_whatever_the_text_nothing_breaks_and_all_is_grounded(engine, demo_ontology):
    """Random mixtures of cues, names, marks and odd characters."""
    words = "Alice,Bob Stone,joined,moved from,to,works at,left,for,I,like,love,hiking,and"
    dates = "since,2019,in March 2020,until,2024-02-30,May,no longer"
    more = "met,Acme,Inc,hired,Dr.,O'Brien,ǅ,ß,ﬁ,İ"
    odd = "我,喜欢,徒步,、,不,去了,公园,’s,“,”,《,》,\u200b,\u0301,\U0001f600,\x00,?,\n,."
    pieces = [*words.split(","), *more.split(","), *dates.split(","), *odd.split(","), '"', ",", " ", "  "]
    chosen = random.Random(7)
    relations, reasons = 0, set()
    for _ in range(4000):
        text = "".join(chosen.choice(pieces) + chosen.choice((" ", "")) for _ in range(chosen.randint(1, 25)))
        chunk = ChunkInput(
            text, REFERENCE, "en", chosen.choice((None, "Emily", "我")), chosen.choice(((), (KnownName("Alice"),)))
        )
        resolved = resolve(chunk, engine.extract(chunk, demo_ontology), demo_ontology)
        reasons |= {rejection.reason for rejection in resolved.rejected}
        assert all(text[entity.start : entity.end].strip() for entity in resolved.entities)
        relations += len(resolved.relations)
    assert relations > 30
    assert not reasons & {"ungrounded", "unknown_entity", "unknown_class", "unknown_property", "no_name"}


@pytest.mark.parametrize("name", ["memory_bank_en.json", "memory_bank_cn.json"])
def test_real_chats_give_only_what_their_speakers_said(engine, demo_ontology, name):
    """Every relation read from the public chats has the speaker as subject and an object that stands in the text."""
    places = [REPOSITORY / "examples/demo/chats" / name, REPOSITORY.parent / "shared/data/memorybank" / name]
    file = next((place for place in places if place.exists()), None)
    if file is None:
        pytest.skip(f"{name} is neither among the examples nor in ../shared/data/memorybank")
    likes = 0
    for person, value in json.loads(file.read_text(encoding="utf-8")).items():
        for turns in value["history"].values():
            for turn in turns:
                found = engine.extract(ChunkInput(turn["query"], REFERENCE, speaker=person.strip()), demo_ontology)
                likes += sum(r.predicate.endswith("likes") for r in found.relations)
                assert all(r.subject == person.strip() and r.object in turn["query"] for r in found.relations)
                assert engine.extract(ChunkInput(turn["response"], REFERENCE), demo_ontology).relations == ()
    assert likes >= 40
