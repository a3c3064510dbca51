"""The tables that the sources had at their last load, in a small file beside the landing file: `sources.json`.

It is for whoever must know them without opening a database, such as definitions that a scheduler reads every few minutes.
It is a copy of what the landing file knows; nothing decides by it, and a load writes it anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagraph.locks import alone
from stratagraph.project import Project, storage_errors
from stratagraph.sources.catalog import ACCEPTED
from stratagraph.sqlfiles import load_sql

LAYER = "sources"
VERSION = 1  # of the file; one of another version is as good as none


@dataclass(frozen=True)
class ColumnState:
    """A column, by the source's names."""

    name: str
    type: str


@dataclass(frozen=True)
class KeyState:
    """What tells the rows of a table apart. kind: primary, unique."""

    kind: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ReferenceState:
    """A foreign key."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]
    origin: str

    def __str__(self) -> str:
        return f"({', '.join(self.columns)}) -> {self.table}({', '.join(self.referenced)})"


@dataclass(frozen=True)
class TableState:
    """A table.

    Args:
        landed_as: schema and name in the landing file.
        rows: how many it has now; None: not known.
    """

    name: str
    landed_as: str
    rows: int | None
    columns: tuple[ColumnState, ...]
    keys: tuple[KeyState, ...] = ()
    references: tuple[ReferenceState, ...] = ()


@dataclass(frozen=True)
class VersionState:
    """A version of a recorded source. state: accepted, refused; detail: why."""

    name: str
    state: str
    detail: str | None
    rows: int

    @property
    def counts(self) -> bool:
        return self.state == ACCEPTED


@dataclass(frozen=True)
class SourceState:
    """A source after its last load."""

    kind: str
    loaded_at: str
    rows: int
    tables: tuple[TableState, ...]
    versions: tuple[VersionState, ...] = ()


def state_file(project: Project) -> Path:
    return project.data_dir / "sources.json"


def read_states(project: Project) -> dict[str, SourceState]:
    """The sources of the config that were loaded. A file that can't be read tells of none: the next load writes it."""
    sources = _read(state_file(project))
    try:
        return {name: _source(state) for name, state in sources.items() if name in project.config.sources}
    except (KeyError, TypeError, AttributeError):
        return {}


def write_state(project: Project, source: str) -> SourceState | None:
    """Note what the landing file knows of a source; None: it was not loaded yet."""
    with project.landing_connection() as connection:
        row = connection.execute(load_sql(LAYER, "select_source_state"), {"source": source}).fetchone()
    if row is None:
        return None
    state = json.loads(row[0])
    file = state_file(project)
    with alone(file.with_suffix(".lock")), storage_errors(file):
        known = {name: value for name, value in _read(file).items() if name in project.config.sources}
        _write(file, {"version": VERSION, "sources": known | {source: state}})
    return _source(state)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    current = isinstance(content, dict) and content.get("version") == VERSION
    sources = content.get("sources") if current else None
    return sources if isinstance(sources, dict) else {}


def _write(file: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _source(state: dict[str, Any]) -> SourceState:
    return SourceState(
        state["kind"],
        state["loaded_at"],
        state["rows"],
        tuple(_table(table) for table in state["tables"]),
        tuple(VersionState(**version) for version in state["versions"]),
    )


def _table(state: dict[str, Any]) -> TableState:
    return TableState(
        state["name"],
        state["landed_as"],
        state["rows"],
        tuple(ColumnState(**column) for column in state["columns"]),
        tuple(KeyState(key["kind"], tuple(key["columns"])) for key in state["keys"]),
        tuple(
            ReferenceState(tuple(key["columns"]), key["table"], tuple(key["referenced"]), key["origin"])
            for key in state["references"]
        ),
    )
