"""Events: two of one name at two times are two things; from a text to what is believed, with those who took part."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from openai_server import Reply, serve

from stratagraph.config.model import OntologyConfig
from stratagraph.errors import ConfigError, ExtractionError
from stratagraph.extraction.engines import engine_of
from stratagraph.extraction.events import AT_PLACE, EVENT, HAS_PARTICIPANT, event_key, is_event
from stratagraph.extraction.run import extract
from stratagraph.identity.names import normalise_name
from stratagraph.ontology.load import update_ontology
from stratagraph.temporal.run import commit_staged

EX = "https://example.org/stratagraph/demo#"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("meeting", "2024-03-01T00:00:00Z"), ("Meeting", "2024-03-01T00:00:00Z"), True),
        (("meeting", "2024-03-01T00:00:00Z"), ("meeting", "2024-03-01T00:00:00+00:00"), True),
        (("meeting", "2024-03-01T00:00:00Z"), ("meeting", "2024-03-08T00:00:00Z"), False),
        (("meeting", "2024-03-01T09:00:00Z"), ("meeting", "2024-03-01T15:00:00Z"), False),
        (("meeting", None), ("meeting", "2024-03-01T00:00:00Z"), False),
        (("meeting", None), ("meeting", None), True),
    ],
)
def test_an_event_is_its_name_and_when_it_began(one, other, same):
    assert (normalise_name(event_key(*one)) == normalise_name(event_key(*other))) is same


def test_the_core_vocabulary_has_events(demo_ontology):
    assert is_event(demo_ontology, EVENT)
    assert not is_event(demo_ontology, EX + "Person")
    for predicate in (HAS_PARTICIPANT, AT_PLACE):
        prop = demo_ontology.properties[predicate]
        assert (prop.kind, prop.domain, prop.range) == ("object", (frozenset({EVENT}),), ())


# From a text to belief


MINUTES = (
    "On 1 March 2024 Alice Haddad met Bob Stone at a board meeting in Oslo. The board meeting on 8 March 2024 was opened by "
    "Bob Stone. Alice Haddad works at Acme since 2019. The merger talks ended in May 2024."
)


def event(name: str, quote: str, *participants: str, since: str | None = None, **more: object) -> dict[str, object]:
    return {
        "name": name, "class": "Event", "quote": quote, "valid_from": since, "valid_to": None, "valid_from_resolved": None,
        "valid_to_resolved": None, "place": None,
        "participants": [{"name": participant, "role": "hasParticipant"} for participant in participants],
    } | more  # fmt: skip


ANSWER = {
    "entities": [
        {"name": "Alice Haddad", "class": "Person", "attributes": []},
        {"name": "Bob Stone", "class": "Person", "attributes": []},
        {"name": "Acme", "class": "Organization", "attributes": []},
        {"name": "Oslo", "class": "Place", "attributes": []},
    ],
    "relations": [
        {
            "subject": "Alice Haddad", "predicate": "worksFor", "object": "Acme", "ended": False,
            "quote": "Alice Haddad works at Acme since 2019", "valid_from": "2019", "valid_to": None,
            "valid_from_resolved": None, "valid_to_resolved": None,
        }
    ],
    "events": [
        event(
            "board meeting", "On 1 March 2024 Alice Haddad met Bob Stone at a board meeting in Oslo", "Alice Haddad",
            "Bob Stone", since="1 March 2024", valid_to_resolved="2024-03-02", place="Oslo",
        ),
        event("board meeting", "The board meeting on 8 March 2024 was opened by Bob Stone", "Bob Stone", since="8 March 2024"),
        event("merger talks", "The merger talks ended in May 2024", valid_to="May 2024"),
        event("board dinner", "There was a board dinner", "Alice Haddad"),
        event("board meeting", "The board meeting on 8 March 2024", "Zeus", since="8 March 2024"),
        {"name": "no event at all"},
        event("board meeting", "The board meeting on 8 March 2024", since="8 March 2024", participants=["Bob", {"role": "x"}]),
    ],
}  # fmt: skip


def test_events_of_a_text_are_believed_at_their_times(make_bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    with serve(lambda text, nth: Reply(json.dumps(ANSWER))) as endpoint:
        bench = make_bench(json.dumps({"engine": "openai", "mode": "events", "model": "scripted", "base_url": endpoint.url}))
        bench.put("minutes", [MINUTES], at=datetime(2024, 6, 15, tzinfo=UTC))
        update_ontology(bench.project)
        extract(bench.project)
        commit_staged(bench.project)
        assert len(endpoint.requests) == 1
    base = "https://example.org/graph/name/Event/"
    nodes = bench.rows(
        "SELECT node_id, label, valid_from = '-infinity', CAST(valid_from AS DATE), CAST(valid_to AS VARCHAR) FROM graph.nodes "
        "WHERE class = $event AND recorded_to = 'infinity' ORDER BY ALL",
        {"event": EVENT},
    )
    assert [(node.removeprefix(base), label, str(start) if not early else None) for node, label, early, start, _ in nodes] == [
        ("board%20meeting%202024%2003%2001", "board meeting", "2024-03-01"),
        ("board%20meeting%202024%2003%2008", "board meeting", "2024-03-08"),
        ("merger%20talks", "merger talks", None),
    ]
    assert nodes[0][4].startswith("2024-03-02") and nodes[2][4].startswith("2024-05-01")
    edges = bench.rows(
        "SELECT split_part(subject, '/', -1), split_part(predicate, '#', -1), split_part(object, '/', -1), "
        "CAST(CAST(valid_from AS DATE) AS VARCHAR) FROM graph.edges WHERE recorded_to = 'infinity' AND origin = 'asserted' "
        "ORDER BY ALL"
    )
    first, second = "board%20meeting%202024%2003%2001", "board%20meeting%202024%2003%2008"
    assert edges == sorted([
        ("alice%20haddad", "worksFor", "acme", "2019-01-01"), (first, "atPlace", "oslo", "2024-03-01"),
        (first, "hasParticipant", "alice%20haddad", "2024-03-01"), (first, "hasParticipant", "bob%20stone", "2024-03-01"),
        (second, "hasParticipant", "bob%20stone", "2024-03-08"),
    ])  # fmt: skip
    refused = bench.rows("SELECT reason, count(*) FROM graph.quarantine WHERE stage = 'extraction' GROUP BY ALL ORDER BY ALL")
    # Not in the text: the dinner, and with it who took part. Nobody: Zeus. No event, and two that are no participants.
    assert refused == [("malformed_item", 3), ("ungrounded", 2), ("unknown_entity", 1)]


def test_another_mode_is_another_question(make_bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    options = [{}, {"mode": "events"}, {"ontology_tokens": 500}]
    marks = {
        engine_of(make_bench(json.dumps({"engine": "openai", "base_url": "http://127.0.0.1:9/v1"} | more)).project).fingerprint
        for more in options
    }
    assert len(marks) == len(options)


def test_the_embedded_engine_is_not_asked_for_events(make_bench):
    with pytest.raises(ConfigError, match="mode: events needs engine: openai"):
        make_bench("{engine: embedded, mode: events}")


def test_an_ontology_without_events_stops_the_run_before_anything_is_asked(make_bench, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    (tmp_path / "plain.ttl").write_text("<http://e.org/A> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8")
    with serve(lambda text, nth: Reply("no")) as endpoint:
        bench = make_bench(json.dumps({"engine": "openai", "mode": "events", "base_url": endpoint.url}))
        bench.put("minutes", [MINUTES])
        config = bench.project.config
        plain = config.model_copy(update={"ontology": OntologyConfig(files=[tmp_path / "plain.ttl"])})
        with pytest.raises(ExtractionError, match="no terms for events"):
            extract(replace(bench.project, config=plain))
        assert endpoint.requests == []
