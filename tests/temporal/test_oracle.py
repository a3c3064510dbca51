"""Belief equals a brute-force reading of the rules: random logs, both modes, late arrivals, retractions, withdrawals.

Many cases share the commits of one store under keys of their own, which makes thousands of them cheap.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import duckdb
import oracle
import pytest
from oracle import BEGIN, END, Logged, Said
from vectors import table
from warehouse import edge, node

from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import commit

INSTANTS = range(0, 11)
KNOWN_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
KINDS = ("node", "many", "single")


def valid(instant: int | None) -> str | None:
    if instant is None:
        return None
    return {BEGIN: "-infinity", END: "infinity"}.get(instant, f"2020-01-{instant + 1:02d}T00:00:00Z")


def known(instant: int) -> datetime:
    return KNOWN_EPOCH + timedelta(days=instant)


def random_said(rng: random.Random, source: str, sequence: int) -> Said:
    start = rng.choice([BEGIN, *INSTANTS, *INSTANTS])
    until = rng.choice([None, None, END, *[end for end in INSTANTS if end >= start]])
    value = rng.choice(["a", "a", "b", "c", None])
    observed = rng.choice([None, None, -rng.randint(1, 5)])
    return Said(source, value, start, until, observed, sequence)


def row(case: int, kind: str, said: Said) -> dict[str, object]:
    """The statement of a case: of a node, of a many-valued relation, or of a single-valued one, whose object is the value."""
    properties = {} if kind == "single" else {"v": str(said.value)}
    if kind == "node":
        stated = node(f"urn:case:{case}", facet="f", properties=properties)
    else:
        target = f"urn:o:{said.value if kind == 'single' else 'x'}"
        stated = edge(f"urn:case:{case}", f"urn:p:{kind}", target, properties=properties)
    return stated | {
        "mode": "event" if said.until is None else "period",
        "polarity": "retract" if said.value is None else "assert",
        "valid_from": valid(said.start),
        "valid_to": valid(said.until),
        "observed_at": None if said.observed is None else known(said.observed).isoformat(),
        "sequence": said.sequence,
        "source": said.source,
        "scope": said.source,
    }


def store(threads: int) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": threads})
    connection.execute(load_sql("schema", "configure_session"))
    for name in SCHEMA_FILES:
        connection.execute(load_sql("schema", name))
    connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', 'urn:p:single', 'single', TRUE)")
    return connection


def believed(connection: duckdb.DuckDBPyConnection) -> dict[int, set[tuple[int, int, str, int, int]]]:
    """Stored rows per case, with both clocks as the oracle's integers."""
    days = """
        CASE WHEN valid_from = '-infinity' THEN -1000 ELSE datediff('day', TIMESTAMPTZ '2020-01-01 00:00:00Z', valid_from) END,
        CASE WHEN valid_to = 'infinity' THEN 1000 ELSE datediff('day', TIMESTAMPTZ '2020-01-01 00:00:00Z', valid_to) END,
        datediff('day', TIMESTAMPTZ '2024-01-01 00:00:00Z', recorded_from),
        CASE WHEN recorded_to = 'infinity' THEN 1000
             ELSE datediff('day', TIMESTAMPTZ '2024-01-01 00:00:00Z', recorded_to) END"""
    rows = connection.execute(f"""
        SELECT split_part(node_id, ':', 3)::INT, properties ->> 'v', {days} FROM graph.nodes
        UNION ALL
        SELECT split_part(subject, ':', 3)::INT, CASE WHEN predicate = 'urn:p:single' THEN split_part(object, ':', 3)
               ELSE properties ->> 'v' END, {days} FROM graph.edges""").fetchall()
    found: dict[int, set[tuple[int, int, str, int, int]]] = defaultdict(set)
    for case, value, start, until, since, to in rows:
        assert (start, until, value, since, to) not in found[case]
        found[case].add((start, until, value, since, to))
    return found


@pytest.mark.parametrize(("seed", "threads"), [(1, 1), (2, 2), (3, 2), (4, 2)])
def test_belief_equals_the_oracle(seed: int, threads: int) -> None:
    rng = random.Random(seed)
    cases, batches = 500, 5
    connection = store(threads)
    logs: list[list[Logged]] = [[] for _ in range(cases)]
    for number in range(batches):
        source, complete = rng.choice("AB"), rng.random() < 0.5
        rows = []
        for case in range(cases):
            past = [entry.said for entry in logs[case] if entry.said.source == source]
            batch = [random_said(rng, source, 10 * number + place) for place in range(rng.choice([0, 1, 1, 2, 3]))]
            batch += rng.sample(past, k=min(len(past), rng.choice([0, 0, 1])))
            logs[case] = oracle.record(logs[case], batch, source, complete, number)
            rows += [row(case, KINDS[case % 3], said) for said in batch]
        rng.shuffle(rows)
        arguments = {"dataset": "main", "source": source, "complete": complete, "clock": lambda at=number: known(at)}
        commit(connection, table(connection, rows), batch_id=str(number), **arguments)
    stored = believed(connection)
    wrong = []
    for case in range(cases):
        wanted = oracle.canonical(logs[case], batches, INSTANTS)
        if stored.get(case, set()) != wanted:
            wrong.append((case, KINDS[case % 3], logs[case], stored.get(case), wanted))
    assert wrong == [], f"{len(wrong)} of {cases} cases differ; first: {wrong[0]}"
    assert [finding for finding in audit(connection) if not finding.passed] == []


def test_a_replay_writes_nothing() -> None:
    rng = random.Random(7)
    connection = store(2)
    rows = [row(case, KINDS[case % 3], random_said(rng, "A", place)) for case in range(200) for place in range(3)]

    def everything() -> list[tuple[object, ...]]:
        return (
            connection.execute("SELECT * FROM graph.nodes ORDER BY ALL").fetchall()
            + connection.execute("SELECT * FROM graph.edges ORDER BY ALL").fetchall()
        )

    first = commit(
        connection, table(connection, rows), dataset="main", source="A", batch_id="1", complete=True, clock=lambda: known(0)
    )
    before = everything()
    again = commit(
        connection,
        table(connection, rows[::-1]),
        dataset="main",
        source="A",
        batch_id="2",
        complete=True,
        clock=lambda: known(1),
    )
    assert first.rows_written > 0 and first.new > 0
    assert (again.new, again.withdrawn, again.rows_written) == (0, 0, 0)
    assert everything() == before
