"""A row log as loads would have left it, written straight into the landing file, and the statements that come of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from staged import BASE, VOCABULARY

from stratagraph.project import Project
from stratagraph.sources.rows import LAYER
from stratagraph.sources.table_statements import prepare_tables, table_statements
from stratagraph.sqlfiles import load_sql

FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Known:
    """A table as the catalog knows it. key: columns that tell its rows apart; renamed: present name -> the name it had."""

    columns: Sequence[str]
    key: Sequence[str] = ()
    path: Sequence[str] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Said:
    """What came of the rows: statements, and (reason, detail, table) of those that were refused."""

    statements: list[dict[str, Any]]
    problems: list[tuple[str, str, str]]

    @property
    def nodes(self) -> dict[str, dict[str, Any]]:
        return {row["subject"]: row for row in self.statements if row["kind"] == "node"}

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        return sorted((row["subject"], row["predicate"], row["object"]) for row in self.statements if row["kind"] == "edge")


class Log:
    """Tables, keys and rows of the source `s`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, Known] = {}
        self.keys: list[tuple[str, Sequence[str], str, Sequence[str], str]] = []
        self.rows: list[tuple[str, str, str, datetime, bool]] = []

    def table(self, name: str, columns: Sequence[str], key: Sequence[str] = (), **known: Any) -> None:
        self.tables[name] = Known(columns, key, **known)

    def key(self, table: str, columns: Sequence[str], other: str, referenced: Sequence[str], origin: str = "declared") -> None:
        self.keys.append((table, columns, other, referenced, origin))

    def row(
        self, table: str, content: dict[str, Any], load: int = 0, key: Sequence[Any] | None = None, present: bool = True
    ) -> None:
        """A row as a load brought it, or (not present) its end."""
        known = self.tables[table]
        parts = key if key is not None else [content.get(name) for name in known.key]
        said = {name: content[name] for name in sorted(content) if content[name] is not None}
        compact = {"separators": (",", ":"), "ensure_ascii": False}
        text = json.dumps(said, **compact)  # type: ignore[arg-type]
        self.rows.append((table, json.dumps(list(parts), **compact), text, FIRST + timedelta(days=load), present))  # type: ignore[arg-type]

    def project(self, mapping: Mapping[str, Any], **source: Any) -> Project:
        """A project with this row log, and a mapping of it."""
        config = {
            "version": 1,
            "base_iri": BASE,
            "prefixes": {"v": VOCABULARY},
            "ontology": {"files": ["none.ttl"]},
            "sources": {
                "s": {"type": "sql", "url": "sqlite:///none.db", "mapping": dict(mapping), "infer_keys": False} | source
            },
        }
        (self.folder / "stratagraph.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        (self.folder / "none.ttl").touch()
        project = Project.load(self.folder / "stratagraph.yaml")
        project.landing.unlink(missing_ok=True)
        with project.landing_connection(read_only=False) as connection:
            connection.execute(load_sql(LAYER, "create_catalog"))
            for name, table in self.tables.items():
                connection.execute(
                    "INSERT INTO stratagraph.tables BY NAME SELECT 's' AS source, $name AS table_name, $path AS path,"
                    " 'full' AS mode, TRUE AS present, FALSE AS drifted, 0 AS row_count",
                    {"name": name, "path": list(table.path) or [name]},
                )
                for position, column in enumerate(table.columns):
                    first = table.renamed.get(column, column)
                    connection.execute(
                        "INSERT INTO stratagraph.columns BY NAME SELECT 's' AS source, $table AS table_name,"
                        " $column AS column_name, 's' AS landing_schema, $table AS landing_table, $column AS landing_column,"
                        " 'TEXT' AS type, $position AS position, $first AS known_as, $former AS former, TRUE AS present,"
                        " FALSE AS encoded",
                        {"table": name, "column": column, "position": position, "first": first}
                        | {"former": [first] if first != column else []},
                    )
                if table.key:
                    connection.execute(
                        "INSERT INTO stratagraph.identifiers BY NAME SELECT 's' AS source, $name AS table_name,"
                        " 'primary' AS kind, $key AS columns, 'declared' AS origin",
                        {"name": name, "key": list(table.key)},
                    )
            for number, (name, columns, other, referenced, origin) in enumerate(self.keys):
                connection.execute(
                    "INSERT INTO stratagraph.foreign_keys BY NAME SELECT 's' AS source, $key AS name, $table AS table_name,"
                    " $columns AS columns, $other AS referenced_table, CAST($referenced AS VARCHAR[]) AS referenced_columns,"
                    " $origin AS origin",
                    {"key": f"key{number}", "table": name, "columns": list(columns), "other": other}
                    | {"referenced": list(referenced), "origin": origin},
                )
            for row in self.rows:
                connection.execute("INSERT INTO stratagraph.rows VALUES ('s', ?, ?, ?, ?, ?)", list(row))
        return project

    def said(self, mapping: Mapping[str, Any] | None = None, **source: Any) -> Said:
        """What the rows say by a mapping; IRIs without the source's base, times as text."""
        project = self.project(mapping or {}, **source)
        with project.landing_connection() as connection:
            connection.execute(load_sql(LAYER, "create_macros"))
            connection.execute(load_sql(LAYER, "create_problems"))
            prepare_tables(project, connection, "s", project.config.sources["s"])  # type: ignore[arg-type]
            rows = table_statements(project, connection, "s")
            times = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in ("valid_from", "valid_to", "observed_at"))
            found = rows.project(f"* REPLACE ({times})").to_arrow_table().to_pylist()
            problems = connection.execute("SELECT reason, detail, location FROM problems ORDER BY ALL").fetchall()
        for row in found:
            row["value"] = json.loads(row["value"])
            for name in ("subject", "object", "predicate"):
                row[name] = (row[name] or "").replace(f"{BASE}s/", "").replace(VOCABULARY, "v:")
            row["properties"] = {
                name.replace(f"{BASE}s/", "").replace(VOCABULARY, "v:"): value
                for name, value in row["value"]["properties"].items()
            }
        return Said(found, [(reason, detail, location.partition(" ")[0]) for reason, detail, location in problems])
