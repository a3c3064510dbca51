"""Search and recall through an open snapshot: time before top-k, any query text, filters, limits, order."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from small_graph import node_iri

from stratagraph.errors import SnapshotError
from stratagraph.search.periods import named_period
from stratagraph.snapshot.reader import MODES, Snapshot

BEFORE_FIX, AFTER_FIX = "2013-03-16T14:50:00Z", "2013-03-16T15:50:00Z"


def texts(snapshot: Snapshot, query: str, **options: object) -> list[str]:
    return [hit.text for hit in snapshot.search(query, **options)]  # type: ignore[arg-type]


def test_both_clocks_decide_what_is_found(snapshot: Snapshot) -> None:
    def best(known_at: str) -> str:
        return snapshot.search("Agnew holds office", mode="facts", valid_at="1970-01-01", known_at=known_at)[0].text

    assert best(BEFORE_FIX) == "Spiro Agnew holds office president (party Republican)"
    assert best(AFTER_FIX) == "Spiro Agnew holds office vice president (party Republican)"


def test_no_hit_lies_outside_the_point(snapshot: Snapshot) -> None:
    for valid_at in ("1970-01-01", "2021-06-01", "2022-03-01", "2023-06-01"):
        for known_at in (BEFORE_FIX, AFTER_FIX, "2026-01-01T00:00:00Z", None):
            for query in ("Ada works for", "Agnew president", "寿司", "Seattle office"):
                for mode in MODES:
                    for hit in snapshot.search(query, mode, valid_at=valid_at, known_at=known_at, limit=50):
                        assert hit.valid_from == "-infinity" or hit.valid_from[:10] <= valid_at
                        assert hit.valid_to == "infinity" or valid_at < hit.valid_to[:10]
                        if known_at is not None:
                            assert hit.recorded_from <= known_at
                            assert hit.recorded_to == "infinity" or known_at < hit.recorded_to


def test_time_comes_before_top_k(snapshot: Snapshot) -> None:
    # The one fact of 2021 must be found although, without the filter, a later fact is the better match.
    assert texts(snapshot, "Ada Okafor works for Globex", mode="facts", valid_at="2021-01-01", limit=1) == [
        "Ada Okafor works for Acme Robotics"
    ]


def test_as_of_never_returns_a_later_text(snapshot: Snapshot) -> None:
    assert texts(snapshot, "greyhound Pixel", mode="chunks", valid_at="2023-05-07") == []
    assert texts(snapshot, "greyhound Pixel", mode="chunks", valid_at="2023-05-08")[0].startswith("I adopted a greyhound")


def test_an_edge_is_found_only_while_both_ends_are_believed(snapshot: Snapshot) -> None:
    at = {"valid_at": "any", "known_at": BEFORE_FIX, "limit": 100}
    assert not [text for text in texts(snapshot, "Ada works for Globex", **at) if "Globex" in text]
    assert texts(snapshot, "Nixon president", mode="facts", **at)


def test_any_lifts_a_clock(snapshot: Snapshot) -> None:
    found = texts(snapshot, "Agnew holds office", mode="facts", valid_at="any", known_at="any")
    assert {text.split("office ")[1].split(" (")[0] for text in found if "Agnew" in text} == {"president", "vice president"}


def test_languages_without_spaces(snapshot: Snapshot) -> None:
    assert texts(snapshot, "寿司")[0] == "我昨天在东京吃了寿司。"
    assert texts(snapshot, "东京的寿司好吃吗")[0] == "我昨天在东京吃了寿司。"


def test_a_turn_is_found_by_its_neighbours_words(snapshot: Snapshot) -> None:
    found = texts(snapshot, "greyhound", mode="lexical", kinds=["chunk"])
    assert found[:2] == ["I adopted a greyhound called Pixel.", "Wonderful! How old is she?"]


@pytest.mark.parametrize(
    "query",
    [
        "C:\\repo\\src",
        "Cruise / En route",
        "|",
        "_",
        "`",
        "```",
        '"unbalanced',
        "'",
        "(a AND",
        "field:value",
        "+-!^~*?:",
        "the and of",
        "to be or not to be",
        "word " * 500,
        "x" * 50_000,
        "lorem ipsum Ada " * 4_000,
        "🦊🦊",
        "👩‍👩‍👧",
        "东京",
        "ไทยแลนด์",
        "",
        "   ",
        "\x00",
        "\ud800",
        "a\u0301",
        "SELECT * FROM nodes",
        "MATCH (n) RETURN n",
        "NaN",
        "[1 TO 5]",
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_any_text_is_a_query(snapshot: Snapshot, query: str, mode: str) -> None:
    for hit in snapshot.search(query, mode, valid_at="any", known_at="any"):
        assert 0 <= hit.score <= 1


def test_a_weak_match_has_no_high_score(snapshot: Snapshot) -> None:
    for query in ("quantum chromodynamics", "zxqv", "photosynthesis enzymes"):
        assert all(hit.score <= 0.3 for hit in snapshot.search(query))


def test_stop_words_do_not_decide(snapshot: Snapshot) -> None:
    asked = snapshot.search("what is the name of the greyhound", mode="lexical")
    assert [hit.id for hit in asked] == [hit.id for hit in snapshot.search("name greyhound", mode="lexical")]
    assert texts(snapshot, "how is she", mode="lexical", kinds=["chunk"])[0] == "Wonderful! How old is she?"


def test_filters(snapshot: Snapshot) -> None:
    assert snapshot.search("Ada", kinds=[]) == []
    assert snapshot.search("Ada", datasets=[]) == []
    assert snapshot.search("Ada", datasets=["other"]) == []
    assert snapshot.search("Ada", datasets=["main", "other"]) == snapshot.search("Ada")
    assert {hit.kind for hit in snapshot.search("Ada", kinds=["fact", "node"], limit=100)} == {"fact", "node"}
    assert snapshot.search("Ada", "facts", kinds=["node"]) == []
    with pytest.raises(SnapshotError, match="unknown kind"):
        snapshot.search("Ada", kinds=["edge"])
    with pytest.raises(SnapshotError, match="unknown mode"):
        snapshot.search("Ada", mode="magic")


def test_modes_have_their_kind(snapshot: Snapshot) -> None:
    for mode, kind in (("chunks", "chunk"), ("facts", "fact"), ("nodes", "node"), ("summaries", "community")):
        assert {hit.kind for hit in snapshot.search("Ada Okafor Globex", mode)} == {kind}


def test_limit(snapshot: Snapshot) -> None:
    assert len(snapshot.search("Ada Okafor", limit=1)) == 1
    assert len(snapshot.search("Ada Okafor", limit=1000)) > 1
    for limit in (0, -1, 1001):
        with pytest.raises(SnapshotError, match="limit"):
            snapshot.search("Ada", limit=limit)


def test_a_longer_list_starts_with_the_shorter_one(snapshot: Snapshot) -> None:
    longest = snapshot.search("Ada Okafor works in Seattle", limit=100)
    for limit in range(1, len(longest)):
        assert snapshot.search("Ada Okafor works in Seattle", limit=limit) == longest[:limit]


@pytest.mark.parametrize("naive", ["2013-03-16T14:50:00", "2013-03-16 14:50", datetime(2013, 3, 16, 14, 50)])  # noqa: DTZ001
def test_a_time_without_zone_is_refused(snapshot: Snapshot, naive: object) -> None:
    with pytest.raises(SnapshotError, match="without a zone"):
        snapshot.search("Agnew", known_at=naive)  # type: ignore[arg-type]


def test_instants_in_all_forms(snapshot: Snapshot) -> None:
    answers = [
        snapshot.search("Agnew office", valid_at=valid_at, known_at="2013-03-16T15:50:00+01:00")
        for valid_at in ("1970-01-01", date(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC), "1970-01-01T01:00:00+01:00")
    ]
    assert all(answer == answers[0] for answer in answers)
    assert "president (party" in answers[0][0].text
    for odd in ("2024-02-30", "infinity", "", 1970, True):
        with pytest.raises(SnapshotError, match="not an instant"):
            snapshot.search("Agnew", valid_at=odd)  # type: ignore[arg-type]


def test_citations(snapshot: Snapshot) -> None:
    fact = snapshot.search("Ada works for Globex", "facts")[0]
    assert fact.source == "press"
    quote = "Ada Okafor joined Globex"
    place = {"document_id": "doc-press", "chunk_id": "doc-press#1", "char_start": 0, "char_end": 24}
    assert fact.citations == [place | {"quote": quote}]
    node = snapshot.search("Dan Petrov", "nodes")[0]
    assert node.citations == [{"source_table": "Things", "source_key": '{"name": "dan"}'}]
    report = snapshot.search("Ada Okafor Globex", "summaries")[0]
    assert {"edge_id": "urn:edge:ada:worksFor:globex"} in report.citations
    chunk = snapshot.search("greyhound", "chunks")[0]
    assert chunk.citations[0]["chunk_id"] == "chat-en#0" and chunk.citations[0]["char_end"] == len(chunk.text)


def test_recall_adds_the_facts_of_matched_nodes(snapshot: Snapshot) -> None:
    recalled = snapshot.recall("Dan and Carol Mensah", limit=10)
    assert "Carol Mensah works for Globex" in [hit.text for hit in recalled]
    assert len(recalled) <= 10 and len({(hit.kind, hit.id) for hit in recalled}) == len(recalled)
    assert [hit.score for hit in recalled] == sorted((hit.score for hit in recalled), reverse=True)
    assert recalled.as_dict()["hits"][0]["citations"] is not None


def test_recall_is_as_of_the_point(snapshot: Snapshot) -> None:
    def facts(known_at: str) -> list[str]:
        recalled = snapshot.recall("Spiro Agnew", valid_at="1970-01-01", known_at=known_at)
        return [hit.text for hit in recalled if hit.kind == "fact" and hit.text.startswith("Spiro")]

    assert facts(BEFORE_FIX) == ["Spiro Agnew holds office president (party Republican)"]
    assert facts(AFTER_FIX) == ["Spiro Agnew holds office vice president (party Republican)"]


def test_a_node_is_one_hit(snapshot: Snapshot) -> None:
    ids = [hit.id for hit in snapshot.search("Ada Okafor", "nodes", valid_at="any", known_at="any", limit=100)]
    assert len(ids) == len(set(ids)) and ids[0] == node_iri("ada")


def test_a_period_in_the_question_is_the_time_of_the_facts(snapshot: Snapshot) -> None:
    def facts(query: str, **point: str) -> set[str]:
        hits = snapshot.recall(query, limit=50, **point).hits
        return {hit.id.removeprefix("urn:edge:") for hit in hits if hit.kind == "fact"}

    offices = {"nixon:holdsOffice:prez", "agnew:holdsOffice:viceprez"}
    assert facts("Who was president in 1973?") & offices == offices
    assert facts("Who was president in 1974?") & offices == {"nixon:holdsOffice:prez"}
    assert facts("Who was president on 1974-08-09?") & offices == set()
    assert facts("Who was president in 1973?", valid_at="2020-01-01") & offices == set()
    assert "agnew:holdsOffice:prez" in facts("Who was president in 1973?", known_at=BEFORE_FIX)
    assert facts("Who was president?") & offices == set()
    recalled = snapshot.recall("What of Ada Okafor and Globex in May 2021?", limit=50)
    assert recalled.valid_at == "2021-05-01T00:00:00Z/2021-06-01T00:00:00Z"
    assert {hit.id for hit in recalled if hit.kind == "fact" and ":ada:" in hit.id} == {"urn:edge:ada:worksFor:acme"}
    assert "doc-press#1" in {hit.id for hit in recalled}  # said later, of then


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("in 1973", ("1973-01-01", "1974-01-01")),
        ("what in 1973 was he?", ("1973-01-01", "1974-01-01")),
        ("During the year 1999, who", ("1999-01-01", "2000-01-01")),
        ("in December 2020", ("2020-12-01", "2021-01-01")),
        ("as of 2020-02-29", ("2020-02-29", "2020-03-01")),
        ("2020年2月29日", ("2020-02-29", "2020-03-01")),
        ("1973年谁是总统", ("1973-01-01", "1974-01-01")),
        *[
            (query, None)
            for query in (
                "top 2000 customers",
                "ticket 2048",
                "in 2048 bytes",
                "in 1,999 cases",
                "Q4 2024",
                "in 1973-74",
                "before 1973",
                "on 2021-02-29",
                "model T1973",
            )
        ],
    ],
)
def test_only_what_is_surely_a_period_is_one(query: str, period: tuple[str, str] | None) -> None:
    found = named_period(query)
    assert (found and tuple(moment.date().isoformat() for moment in found)) == period
