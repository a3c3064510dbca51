"""People who change employer: a hundred questions of each corpus, answered from the tables, in any order of arrival.

The notes come in many orders at once: every order speaks of people of its own, so that one commit serves them all.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from warehouse import EPOCH, Store, edge, node

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared/data/changing_facts"
PLACES = {
    "corpus50": [REPOSITORY / "examples/demo/press-notes/corpus50.json", SHARED / "corpus50.json"],
    "corpus200": [SHARED / "corpus200.json"],
}
WORKS_FOR, MET, BASED_IN = "urn:worksFor", "urn:met", "urn:basedIn"
TABLES = (
    "statements",
    "evidence",
    "nodes_open",
    "nodes_closed",
    "edges_open",
    "edges_closed",
    "claims",
    "conflicts",
    "identities",
)
ORDERS = 12
NAME = r"(\w+ \w+)"
EMPLOYMENT = re.compile(rf"{NAME} (?:works at {NAME} since|moved from {NAME} to {NAME} in) (\w+ \d{{4}})\.")
MEETING = re.compile(rf"{NAME} met {NAME} in (\w+)\.")
SEAT = re.compile(rf"{NAME} is based in (\w+)\.")

Row = dict[str, Any]


class Told(NamedTuple):
    """A store that was told a corpus in several orders; and how many notes of the first order were known when."""

    corpus: dict[str, Any]
    store: Store
    known: list[tuple[int, datetime]]


def load(name: str) -> dict[str, Any]:
    file = next((place for place in PLACES[name] if place.exists()), None)
    if file is None:
        pytest.skip(f"{name}.json is neither among the examples nor in ../shared/data/changing_facts")
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def employment(episode: Row) -> tuple[str, str, str]:
    """Who, from when, at whose company, as a note says it."""
    found = EMPLOYMENT.match(episode["text"])
    assert found, episode["text"]
    start = datetime.strptime(found[5], "%B %Y").replace(tzinfo=UTC)
    return found[1], start.strftime("%Y-%m-%dT%H:%M:%SZ"), found[2] or found[4]


def statements(episode: Row, order: int) -> list[Row]:
    """What one note states, of the people of one order. An employment is an event: it lasts until the next of its person."""
    person, start, employer = employment(episode)
    seen = {"observed_at": episode["ref_time"], "extractor": "rules", "document_id": episode["id"], "quote": episode["text"]}
    links = [(person, WORKS_FOR, "Organization", employer, start, None)]
    if meeting := MEETING.search(episode["text"]):
        links.append((meeting[1], MET, "Person", meeting[2], episode["ref_time"], None))
    if seat := SEAT.search(episode["text"]):
        links.append((seat[1], BASED_IN, "Place", seat[2], "-infinity", "infinity"))
    stated = []
    for subject, predicate, kind, target, valid_from, valid_to in links:
        subject_kind = "Organization" if predicate == BASED_IN else "Person"
        stated += [
            node(f"urn:{order}:{name}", name, f"urn:{of_kind}", "text", **seen)
            for name, of_kind in ((subject, subject_kind), (target, kind))
        ]
        stated.append(edge(f"urn:{order}:{subject}", predicate, f"urn:{order}:{target}", valid_from, valid_to, **seen))
    return stated


def orders_of(episodes: list[Row]) -> list[list[Row]]:
    """As they arrived, backwards, and at random."""
    rng = random.Random(11)
    return [episodes, episodes[::-1], *(rng.sample(episodes, len(episodes)) for _ in range(ORDERS - 2))]


def tell(corpus: dict[str, Any], batches: int | None) -> Told:
    """Commit a corpus in all orders: one note of each at a time, or cut at random into so many batches."""
    store, rng, known = Store(), random.Random(5), []
    execute = store.connection.execute
    execute("INSERT INTO graph.ontology_properties SELECT 'main', unnest([$a, $b]), '', TRUE", {"a": WORKS_FOR, "b": BASED_IN})
    count = len(corpus["episodes"])
    ends = [
        [*sorted(rng.sample(range(1, count), batches - 1)), count] if batches else range(1, count + 1) for _ in range(ORDERS)
    ]
    done = [0] * ORDERS
    orders = orders_of(corpus["episodes"])
    for position in range(len(ends[0])):
        rows = []
        for number, notes in enumerate(orders):
            for note in notes[done[number] : ends[number][position]]:
                rows += statements(note, number)
            done[number] = ends[number][position]
        store.commit(*rows, source="press")
        known.append((done[0], store.now))
    return Told(corpus, store, known)


ONE_BY_ONE = pytest.param(("corpus50", None), marks=pytest.mark.slow, id="corpus50-one-by-one")
CUT = pytest.param(("corpus50", 20), id="corpus50-20")


@pytest.fixture(scope="module", params=[CUT, ONE_BY_ONE, pytest.param(("corpus200", 9), id="corpus200-9")])
def told(request: pytest.FixtureRequest) -> Told:
    name, batches = request.param
    return tell(load(name), batches)


def answers(store: Store, moments: Iterable[str], known: datetime) -> dict[tuple[int, str, str], list[str]]:
    """Employers by order, person and moment, from the SQL interface."""
    found = defaultdict(list)
    query = "SELECT subject, object FROM graph.edges_as_of(CAST($at AS TIMESTAMPTZ), $known) WHERE predicate = $p"
    for at in set(moments):
        for subject, target in store.rows(query, at=at, known=known, p=WORKS_FOR):
            _, order, person = subject.split(":")
            found[int(order), person, at].append(target.split(":")[2])
    return found


def in_force(facts: Iterable[tuple[str, str]], at: str) -> list[str]:
    """The employer of the latest start not after a moment: the corpus' own rule."""
    begun = [fact for fact in facts if fact[0] <= at]
    return [max(begun)[1]] if begun else []


def test_every_question_has_exactly_one_answer_in_every_order(told: Told) -> None:
    questions = told.corpus["queries"]
    assert len(questions) == 100
    found = answers(told.store, (question["at"] for question in questions), told.store.now)
    for order in range(ORDERS):
        wrong = [q for q in questions if found[order, q["person"], q["at"]] != [q["gold"]]]
        assert wrong == [], f"order {order}"


def test_the_whole_history_is_that_of_the_answer_key(told: Told) -> None:
    rows = told.store.rows(
        "SELECT subject, object, graph.iso(valid_from), graph.iso(valid_to) FROM graph.edges_open WHERE predicate = $p",
        p=WORKS_FOR,
    )
    found = sorted((*subject.split(":")[1:], target.split(":")[2], start, end) for subject, target, start, end in rows)
    gold = [
        (str(order), person, employer, start, until)
        for order in range(ORDERS)
        for person, jobs in told.corpus["history"].items()
        for (start, employer), until in zip(jobs, [*(following for following, _ in jobs[1:]), "infinity"], strict=True)
    ]
    assert found == sorted(gold)


def test_the_corpus_a_second_time_is_nothing_new(told: Told) -> None:
    store = told.store
    before = {table: store.rows(f"SELECT * FROM graph.{table} ORDER BY ALL") for table in TABLES}
    again = [
        row
        for number, notes in enumerate(orders_of(told.corpus["episodes"]))
        for note in notes[::-1]
        for row in statements(note, number)
    ]
    counts = store.commit(*again, source="press")
    assert (counts.rows_written, counts.new) == (0, 0)
    assert {table: store.rows(f"SELECT * FROM graph.{table} ORDER BY ALL") for table in TABLES} == before


@pytest.mark.parametrize("told", [CUT, ONE_BY_ONE], indirect=True)
def test_what_was_believed_before_a_late_note_can_still_be_asked(told: Told) -> None:
    """After each commit, belief was what the notes up to then say, whatever came later about earlier times."""
    questions, facts = told.corpus["queries"], [employment(episode) for episode in told.corpus["episodes"]]
    late = [i for i, (person, start, _) in enumerate(facts) if any(p == person and s > start for p, s, _ in facts[:i])]
    assert late
    for count, known in told.known[::4] + [moment for moment in told.known if moment[0] in {*late, *(i + 1 for i in late)}]:
        found = answers(told.store, (question["at"] for question in questions), known)
        for question in questions:
            learned = [(start, employer) for person, start, employer in facts[:count] if person == question["person"]]
            assert found[0, question["person"], question["at"]] == in_force(learned, question["at"])


@pytest.mark.parametrize("correction_first", [False, True])
def test_a_correction_changes_its_own_period_and_nothing_else(correction_first: bool) -> None:
    """A later note that names another employer from the same month stands, whichever of the two arrives first."""
    corpus = load("corpus50")
    person, jobs = max(corpus["history"].items(), key=lambda item: len(item[1]))
    (start, _), (until, _) = jobs[3], jobs[4]
    month = datetime.fromisoformat(start).strftime("%B %Y")
    note = {"id": "correction", "ref_time": "2024-01-15T00:00:00Z", "text": f"{person} works at Umbra Works since {month}."}
    store = Store()
    store.connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', $p, '', TRUE)", {"p": WORKS_FOR})
    press = [row for episode in corpus["episodes"] for row in statements(episode, 0)]
    batches = [press, statements(note, 0)]
    for rows in reversed(batches) if correction_first else batches:
        store.commit(*rows, source="press")
    moments = {question["at"] for question in corpus["queries"]} | {start, until, later(start), later(until)}
    found = answers(store, moments, store.now)
    for at in moments:
        for name, history in corpus["history"].items():
            corrected = name == person and start <= at < until
            expected = ["Umbra Works"] if corrected else in_force(map(tuple, history), at)
            assert found[0, name, at] == expected
    before = answers(store, [later(start)], EPOCH + timedelta(days=1))
    assert before[0, person, later(start)] == (["Umbra Works"] if correction_first else [jobs[3][1]])


def test_an_end_that_a_note_states_leaves_no_employer() -> None:
    """A retraction closes what holds at its time; who had none then has none until the next employment."""
    corpus = load("corpus50")
    person, jobs = max(corpus["history"].items(), key=lambda item: len(item[1]))
    (start, _), (until, following) = jobs[2], jobs[3]
    left = later(start)
    store = Store()
    store.connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', $p, '', TRUE)", {"p": WORKS_FOR})
    store.commit(*[row for episode in corpus["episodes"] for row in statements(episode, 0)], source="press")
    store.commit(edge(f"urn:0:{person}", WORKS_FOR, None, left, None, polarity="retract", observed_at=left), source="press")
    found = answers(store, [start, left, later(left), until], store.now)
    assert [found[0, person, at] for at in (start, left, later(left), until)] == [[jobs[2][1]], [], [], [following]]


def later(moment: str) -> str:
    """Five days on."""
    return (datetime.fromisoformat(moment) + timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
