"""What the tests of the sources share: a clock, and a look at what was staged, refused and landed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from stratagraph.project import Project
from stratagraph.sources.load import load_source

Make = Callable[..., Project]
Database = Callable[..., Path]

BASE = "https://g.test/"
VOCABULARY = "https://v.test/"
START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self) -> datetime:
        self.now += timedelta(hours=1)
        return self.now


def load_all(project: Project) -> list[Any]:
    return [load_source(project, name) for name in project.config.sources]


def statements(project: Project, where: str = "true") -> list[dict[str, Any]]:
    """All staged statements, times as text, IRIs without the base, in order of their batches."""
    files = sorted(str(path) for path in (project.staging / "rows").glob("*/statements.parquet"))
    if not files:
        return []
    with closing(duckdb.connect()) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = (
            connection.execute(
                f"""SELECT * REPLACE (CAST(valid_from AS VARCHAR) AS valid_from, CAST(valid_to AS VARCHAR) AS valid_to,
                           replace(subject, $base, '') AS subject, replace(object, $base, '') AS object,
                           replace(predicate, $base, '') AS predicate)
                    FROM (SELECT * EXCLUDE filename, regexp_extract(filename, '([^/]*)/statements.parquet', 1) AS batch
                          FROM read_parquet($files, filename = true)) WHERE {where}
                    ORDER BY batch, kind DESC, subject, predicate, object, valid_from, sequence""",
                {"files": files, "base": BASE},
            )
            .to_arrow_table()
            .to_pylist()
        )
    return [row | {"value": json.loads(row["value"])} for row in rows]


def edges(project: Project, where: str = "true") -> list[tuple[str, str, str]]:
    """Staged edges as (subject, predicate, object), sorted."""
    return sorted(
        (row["subject"], row["predicate"], row["object"]) for row in statements(project, f"kind = 'edge' AND {where}")
    )


def nodes(project: Project) -> dict[str, dict[str, Any]]:
    """Staged nodes by subject."""
    return {row["subject"]: row for row in statements(project, "kind = 'node'")}


def quarantine(project: Project) -> list[tuple[str, str, str]]:
    """(reason, location, payload) of all refused rows."""
    if not project.warehouse.exists():
        return []
    with project.read() as connection:
        return connection.execute("SELECT reason, location, payload FROM graph.quarantine ORDER BY ALL").fetchall()


@contextmanager
def landing(project: Project) -> Iterator[duckdb.DuckDBPyConnection]:
    with project.landing_connection() as connection:
        yield connection
