"""What is staged and believed of attributes and events: a statement each, with its own evidence, time and confidence."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import polars as pl

from stratagraph.extraction.protocol import ExtractedEntity, Extraction
from stratagraph.extraction.run import extract
from stratagraph.search.build import UNITS_FILE, build_index
from stratagraph.snapshot.reader import merged_properties
from stratagraph.staging import staged_batches
from stratagraph.temporal.audit import audit
from stratagraph.temporal.run import commit_staged

EX = "https://example.org/stratagraph/demo#"
ANN = "https://example.org/graph/name/Person/ann"
BIRTHDAY, PHONE, TITLE = EX + "birthday", EX + "phone", EX + "title"
LATER = datetime(2021, 1, 1, tzinfo=UTC)


class Scripted:
    """Finds 'Ann has <attribute> <value>.' and 'event <name> [at <time>] [until <time>]'."""

    name, fingerprint, concurrency, known_in_key = "scripted/1", "scripted/1", 1, False

    def extract(self, chunk, ontology):
        said = re.findall(r"has (\w+) ([^.]+)\.", chunk.text)
        found = [
            ExtractedEntity("Ann", EX + "Person", attributes=tuple((EX + name, value) for name, value in said), confidence=0.6)
        ]
        for name, since, until in re.findall(r"event (\w+)(?: at (\S+))?(?: until (\S+))?;", chunk.text):
            times = {"valid_from_text": since or None, "valid_to_text": until or None}
            found.append(ExtractedEntity(name, "urn:stratagraph:core#Event", quote=f"event {name}", **times))
        return Extraction(tuple(entity for entity in found if entity.name in chunk.text))


def run(bench) -> None:
    extract(bench.project, engine=Scripted())
    commit_staged(bench.project)


def believed(bench, at: str = "2026-06-01", known: str = "infinity") -> dict[str, list[str]]:
    """Property -> values of Ann, at a moment; of the latest belief."""
    rows = bench.rows(
        "SELECT properties FROM graph.nodes WHERE node_id = $id AND recorded_to = 'infinity' "
        "AND graph.holds_at(valid_from, valid_to, $at) ORDER BY properties",
        {"id": ANN, "at": at},
    )
    found: dict[str, list[str]] = {}
    for (properties,) in rows:
        for name, value in json.loads(properties).items():
            found.setdefault(name.removeprefix(EX), []).append(value)
    return found


def test_an_attribute_is_a_statement_with_its_own_place_time_and_confidence(bench):
    bench.put("d1", ["Nothing here.", "Ann has birthday 17 March 1990. She has phone 555-1."])
    extract(bench.project, engine=Scripted())
    document = bench.rows("SELECT text FROM graph.documents")[0][0]
    frame = bench.staged().sort("facet")
    assert frame["facet"].to_list()[0] == BIRTHDAY
    assert frame["facet"].to_list()[1].startswith(PHONE + "=")
    assert frame["facet"].to_list()[2] == "text"
    assert frame["kind"].to_list() == ["node"] * 3
    assert [json.loads(value) for value in frame["value"]] == [
        {"label": None, "properties": {BIRTHDAY: "1990-03-17"}}, {"label": None, "properties": {PHONE: "555-1"}},
        {"label": "Ann", "properties": {}},
    ]  # fmt: skip
    assert frame["quote"].to_list() == ["17 March 1990", "555-1", "Ann"]
    assert frame["mode"].to_list() == ["event", "event", "period"]
    assert frame["confidence"].to_list() == [0.6] * 3
    for row in frame.select("char_start", "char_end", "quote").iter_rows(named=True):
        assert document[row["char_start"] : row["char_end"]] == row["quote"]


def test_two_documents_add_up_and_a_single_value_is_replaced_from_its_time_on(bench):
    bench.put("d1", ["Ann has birthday 1990-01-01. Ann has phone 555-1. Ann has title clerk."])
    bench.put("d2", ["Ann has phone 555-2. Ann has birthday 1990-01-02."], at=LATER)
    run(bench)
    assert believed(bench) == {"birthday": ["1990-01-02"], "phone": ["555-1", "555-2"], "title": ["clerk"]}
    assert believed(bench, "2020-08-01") == {"birthday": ["1990-01-01"], "phone": ["555-1"], "title": ["clerk"]}
    with bench.project.read() as connection:
        assert [finding for finding in audit(connection) if not finding.passed] == []


def test_what_a_new_version_of_a_document_no_longer_says_is_withdrawn_value_by_value(bench):
    bench.put("d1", ["Ann has phone 555-1. Ann has title clerk. event Fair at 2019-05-01;"])
    bench.put("d2", ["Ann has phone 555-1. Ann has birthday 1990-01-01."])
    run(bench)
    before = bench.project.clock()
    bench.put("d1", ["Ann has title chief. Ann has phone 555-3."])
    run(bench)
    assert believed(bench) == {"birthday": ["1990-01-01"], "phone": ["555-1", "555-3"], "title": ["chief"]}
    events = "SELECT count(*) FROM graph.nodes_as_of('2020-01-01', $known) WHERE label = 'Fair'"
    assert [bench.rows(events, {"known": known})[0][0] for known in (before, bench.project.clock())] == [1, 0]
    bench.put("d2", ["Ann has city Cork."])
    run(bench)
    assert believed(bench) == {"city": ["Cork"], "phone": ["555-3"], "title": ["chief"]}
    again = bench.rows("SELECT * FROM graph.nodes ORDER BY ALL")
    run(bench)
    assert bench.rows("SELECT * FROM graph.nodes ORDER BY ALL") == again


def test_an_event_stands_at_its_time(bench):
    times = {"Fair": " at 2019-05-01", "Trek": " at 2019-05-01 until 2019-05-03", "War": " until 2019-05-03", "Peace": ""}
    bench.put("d1", [f"Then came event {name}{time};" for name, time in times.items()] + ["It was a good event Fair;"])
    extract(bench.project, engine=Scripted())
    file = staged_batches(bench.project, "text")[-1].statements
    rows = bench.rows(
        "SELECT value ->> 'label', mode, nullif(valid_from, '-infinity'), nullif(valid_to, 'infinity'), quote "
        f"FROM '{file}' ORDER BY char_start"
    )
    first, third = datetime(2019, 5, 1, tzinfo=UTC), datetime(2019, 5, 3, tzinfo=UTC)
    assert rows == [
        ("Fair", "event", first, None, "Fair"), ("Trek", "period", first, third, "Trek"), ("War", "period", None, third, "War"),
        ("Peace", "period", None, None, "Peace"), ("Fair", "period", None, None, "Fair"),
    ]  # fmt: skip


def test_refused_values_reach_the_quarantine_with_the_axiom(bench):
    bench.put("d1", ["Ann has birthday last spring. Ann has title clerk."])
    run(bench)
    rows = bench.rows("SELECT reason, detail, payload FROM graph.quarantine WHERE stage = 'extraction'")
    assert [row[:2] for row in rows] == [
        ("datatype", f"{BIRTHDAY} rdfs:range http://www.w3.org/2001/XMLSchema#date, not 'last spring'")
    ]
    assert believed(bench) == {"title": ["clerk"]}


def test_values_side_by_side_are_a_list_and_others_are_the_surest():
    text = [{"facet": f"p={n}", "properties": {"p": value}} for n, value in enumerate(("a", "b", "a"))]
    rows = [{"facet": "shop/customers", "properties": {"p": "b", "q": 1}}, {"facet": "crm/people", "properties": {"q": 2}}]
    assert merged_properties(text) == {"p": ["a", "b"]}
    assert merged_properties(text[:1]) == {"p": "a"}
    assert merged_properties([*rows, *text]) == {"p": ["b", "a"], "q": 1}


def test_a_search_finds_a_value_under_the_name_of_its_thing(bench):
    bench.put("d1", ["Ann has birthday 17 March 1990."])
    run(bench)
    units = pl.read_parquet(build_index(bench.project).path / UNITS_FILE)
    texts = units.filter(pl.col("id") == ANN)["text"].sort().to_list()
    assert texts == ["Ann (Person)", "Ann (Person): birthday 1990-03-17"]
