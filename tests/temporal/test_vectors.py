"""Public worked examples of bitemporal tables, replayed through `commit` (period and event stories)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from vectors import at, key_iri, load, statement, table

from stratagraph.errors import CommitRefusedError
from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.commit import commit

HERE = Path(__file__).resolve().parents[1] / "data" / "bitemporal"
FOLDER = HERE
STORIES = [path for path in sorted(FOLDER.glob("*.json")) if load(path)["semantics"] in ("period", "event")]


def store() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(load_sql("schema", "configure_session"))
    for name in SCHEMA_FILES:
        connection.execute(load_sql("schema", name))
    return connection


def counts(connection: duckdb.DuckDBPyConnection) -> tuple[Any, ...]:
    return connection.execute("SELECT (SELECT count(*) FROM graph.nodes), (SELECT count(*) FROM graph.nodes_closed)").fetchone()


def as_of(connection: duckdb.DuckDBPyConnection, point: dict[str, Any]) -> list[Any]:
    """The values the macro gives at one point of both clocks."""
    found = connection.execute(
        "SELECT properties FROM graph.nodes_as_of($v, $k) WHERE node_id = $key",
        {"v": point["valid_at"], "k": point["known_at"], "key": key_iri(point["key"])},
    ).fetchall()
    return [json.loads(row[0]) for row in found]


def believed_at(connection: duckdb.DuckDBPyConnection, points: list[dict[str, Any]]) -> dict[int, list[Any]]:
    """The values at every point, by its position, in one query."""
    columns = {
        "number": pa.array(range(len(points)), pa.int64()),
        "key": pa.array([key_iri(point["key"]) for point in points], pa.string()),
        "valid_at": pa.array([point["valid_at"] for point in points], pa.string()),
        "known_at": pa.array([point["known_at"] for point in points], pa.string()),
    }
    connection.register("points", pa.table(columns))
    rows = connection.execute(
        """SELECT p.number, n.properties FROM points AS p JOIN graph.nodes AS n ON n.node_id = p.key
           WHERE n.valid_from <= p.valid_at::TIMESTAMPTZ AND p.valid_at::TIMESTAMPTZ < n.valid_to
             AND n.recorded_from <= p.known_at::TIMESTAMPTZ AND p.known_at::TIMESTAMPTZ < n.recorded_to"""
    ).fetchall()
    found: dict[int, list[Any]] = {}
    for number, properties in rows:
        found.setdefault(number, []).append(json.loads(properties))
    return found


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story(path: Path) -> None:
    story = load(path)
    if story.get("erasures"):
        pytest.skip("erasure is not built yet")
    expect = story["expect"]
    connection = store()
    quarantined, rejected, quiet = 0, [], []
    for number, batch in enumerate(story["batches"]):
        rows = [statement(item, position, story["semantics"]) for position, item in enumerate(batch["statements"])]
        before = counts(connection)
        try:
            done = commit(
                connection, table(connection, rows), dataset="main", source="vectors", batch_id=str(number),
                clock=lambda: at("2100-01-01T00:00:00Z"), recorded_at=at(batch["recorded_at"]),
            )  # fmt: skip
        except CommitRefusedError:
            rejected.append(number)
            continue
        quarantined += done.quarantined
        if counts(connection) == before:
            assert done.rows_written == 0
            quiet.append(number)
    assert rejected == expect.get("rejected_batches", [])
    assert quarantined == expect.get("quarantined", 0)
    assert quiet == expect.get("no_op_batches", quiet)
    wrong = []
    found_at = believed_at(connection, expect["points"])
    for number, point in enumerate(expect["points"]):
        wanted = [] if point["value"] is None else [point["value"]]
        believed = found_at.get(number, [])
        if number % 50 == 0:  # the macro people use says the same as its definition, which is asked of all points at once
            assert as_of(connection, point) == believed
        if believed != wanted:
            wrong.append((point, believed))
    assert wrong == []
    if "history" in expect:
        found = connection.execute(
            """SELECT node_id, properties, valid_from::VARCHAR, valid_to::VARCHAR, recorded_from::VARCHAR, recorded_to::VARCHAR
               FROM graph.nodes"""
        ).fetchall()
        names = ("valid_from", "valid_to", "recorded_from", "recorded_to")

        def text(value: str) -> str:
            return connection.execute("SELECT CAST(CAST($t AS TIMESTAMPTZ) AS VARCHAR)", {"t": value}).fetchone()[0]

        def row_of(row: dict[str, Any]) -> tuple[Any, ...]:
            return (key_iri(row["key"]), json.dumps(row["value"], sort_keys=True), *[text(row[name]) for name in names])

        believed_rows = sorted((row[0], json.dumps(json.loads(row[1]), sort_keys=True), *row[2:]) for row in found)
        assert believed_rows == sorted(row_of(row) for row in expect["history"])
