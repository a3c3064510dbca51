"""Runs a reader through dlt into a project's landing file, without what the loader makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import duckdb
from dlt.common.versioned_state import decompress_state

from stratagraph.landing.pipeline import run_pipeline
from stratagraph.project import Project
from stratagraph.sources.catalog import ForeignKey
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.reader import Column, Identifier, Reader, Since


@dataclass(frozen=True)
class Landed:
    """What a reader landed, and what it said of it."""

    project: Project
    dataset: str
    columns: Sequence[Column]
    identifiers: Sequence[Identifier]
    foreign_keys: Sequence[ForeignKey]

    def tables(self) -> list[str]:
        rows = self._ask(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{self.dataset}'")
        return sorted(row["table_name"] for row in rows if not row["table_name"].startswith("_dlt"))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a landing table, without dlt's columns, in order of what they hold."""
        rows = self._ask(f"SELECT COLUMNS(c -> NOT starts_with(c, '_dlt')) FROM {self.dataset}.\"{table}\"")
        return sorted(rows, key=lambda row: [(value is not None, str(value)) for value in row.values()])

    def everything(self) -> str:
        """All that the landing file holds, as text: every table, and dlt's states, which are compressed."""
        tables = self._ask("SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL")
        held = [self._ask(f'FROM "{table["table_schema"]}"."{table["table_name"]}"') for table in tables]
        states = [decompress_state(row["state"]) for rows in held for row in rows if "state" in row]
        assert states
        return f"{held} {states}"

    def _ask(self, query: str) -> list[dict[str, Any]]:
        with closing(duckdb.connect(str(self.project.landing), read_only=True)) as connection:
            return connection.execute(query).to_arrow_table().to_pylist()


def land(project: Project, name: str, reader: Reader, since: Since | None = None) -> Landed:
    """Read all that a source offers into a new landing file."""
    project.landing.unlink(missing_ok=True)
    with reader.open(since or Since()) as opened:
        run_pipeline(project, dataset_name(name), opened.resources)
        columns = opened.columns()
        return Landed(project, dataset_name(name), columns, list(opened.identifiers), list(opened.foreign_keys))
