"""Where a command asks its SQL: a published snapshot, or the warehouse for reading only. What it asks stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stratagraph.cli.opened import opened
from stratagraph.cli.place import config_path
from stratagraph.errors import SnapshotError
from stratagraph.sqlfiles import load_sql

if TYPE_CHECKING:
    from stratagraph.snapshot.model import Table


@dataclass(frozen=True)
class Asked:
    """A place to ask.

    Args:
        now: the present moment; what valid time is if nothing is said of it.
        latest: the last moment that it knows of.
        run: a query, its parameters, and how many rows to fetch at most.
    """

    now: datetime
    latest: datetime
    run: Callable[[str, dict[str, Any], int | None], Table]

    def resolve(self, id: str) -> str:
        """The entity that a source's ref stands for; any other id is returned unchanged."""
        rows = self.run(load_sql("snapshot", "select_node_id").rstrip().rstrip(";"), {"id": id, "known_at": None}, 1).rows
        return str(rows[0][0]) if rows else id

    def point(self, valid_at: str | None, known_at: str | None) -> tuple[str, str]:
        """Both clocks as text for SQL."""
        from stratagraph.snapshot.times import parse_instant

        valid, known = parse_instant(valid_at, self.now), parse_instant(known_at, self.latest)
        if valid is None or known is None:
            raise SnapshotError("a point is needed here, not 'any'", hint="give an instant, or leave the option out")
        return valid.isoformat(), known.isoformat()


@contextmanager
def asked(path: Path | None, warehouse: bool, config: Path | None) -> Iterator[Asked]:
    """The snapshot at `--path` (by default the latest of the project), or with `--warehouse` the warehouse of `--config`."""
    if warehouse and path is not None:
        raise click.UsageError("--warehouse reads the project of --config; --path names a snapshot. Use one of them.")
    if warehouse:
        with _asked_warehouse(config) as place:
            yield place
        return
    with opened(path) as snapshot:
        latest = datetime.fromisoformat(str(snapshot.manifest["known_at"]))
        yield Asked(datetime.now(UTC), latest, snapshot.sql)


@contextmanager
def _asked_warehouse(config: Path | None) -> Iterator[Asked]:
    from stratagraph.project import Project
    from stratagraph.snapshot.statements import run_query

    project = Project.load(config_path(config))
    now = project.clock()
    with project.read() as connection:
        connection.execute(load_sql("cli", "configure_warehouse"))
        yield Asked(now, now, lambda query, parameters, limit: run_query(connection, query, parameters, limit, timeout=None))
