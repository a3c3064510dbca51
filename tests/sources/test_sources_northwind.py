"""Northwind as the demo has it: every declared foreign key gives exactly the edges that a join in the source gives."""

from __future__ import annotations

import json
import runpy
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from staged import BASE, Make, edges, load_all, nodes, quarantine

from stratagraph.config import load_config
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.names import iri_safe
from stratagraph.sources.rows import stage_rows

DEMO = Path(__file__).parents[2] / "examples" / "demo"


@pytest.fixture
def northwind(tmp_path: Path) -> Path:
    build = runpy.run_path(str(DEMO / "prepare.py"))["build"]
    database: Path = build(tmp_path)
    before = database.stat().st_mtime_ns
    assert build(tmp_path).stat().st_mtime_ns == before  # nothing to do
    return database


def declared_keys(connection: sqlite3.Connection) -> list[tuple[str, list[str], str, list[str]]]:
    """(table, columns, referenced table, referenced columns), as SQLite itself says."""
    found = []
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    for (table,) in tables.fetchall():
        rows = connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
        for number in sorted({row[0] for row in rows}):
            parts = sorted((row for row in rows if row[0] == number), key=lambda row: row[1])
            found.append((table, [part[3] for part in parts], parts[0][2], [part[4] for part in parts]))
    return found


def row_iri(connection: sqlite3.Connection, alias: str, table: str) -> str:
    """SQL that gives the row's key as text, in the order of the primary key."""
    columns = sorted((row[5], row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")') if row[5])
    return " || ';' || ".join(f"'{iri_safe(name)}=' || {alias}.\"{name}\"" for _, name in columns)


def test_every_foreign_key_gives_the_edges_of_its_join(make_project: Make, northwind: Path) -> None:
    project = make_project(northwind={"type": "sql", "url": f"sqlite:///{northwind}", "valid_time": "always"})
    load_all(project)
    keys = update_foreign_keys(project)
    stage_rows(project)
    staged = edges(project)
    assert len(staged) == len(set(staged))
    expected: set[tuple[str, str, str]] = set()
    with closing(sqlite3.connect(northwind)) as connection:
        declared = declared_keys(connection)
        for table, columns, other, others in declared:
            on = " AND ".join(f'a."{column}" = b."{target}"' for column, target in zip(columns, others, strict=True))
            subject, target = row_iri(connection, "a", table), row_iri(connection, "b", other)
            joined = connection.execute(
                f'SELECT {subject}, {target} FROM "{table}" AS a JOIN "{other}" AS b ON {on}'
            ).fetchall()
            predicate = f"northwind/{iri_safe(table)}#ref-" + ";".join(map(iri_safe, columns))
            ours = [edge for edge in staged if edge[1] == predicate]
            assert len(ours) == len(joined)
            expected |= {(f"northwind/{iri_safe(table)}/{a}", predicate, f"northwind/{iri_safe(other)}/{b}") for a, b in joined}
        assert set(staged) == expected  # 0 missing, 0 extra
        counts = {
            table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
            for (table,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"
            )
        }
    assert (keys.declared, keys.incomplete) == (13, 0) == (len(declared), 0)
    per_table = dict.fromkeys(counts, 0)
    for row in nodes(project).values():
        per_table[row["scope"]] += 1
    assert per_table == counts
    assert quarantine(project) == []


def test_the_demo_mapping_stages_the_demo(make_project: Make, northwind: Path) -> None:
    source = load_config(DEMO / "stratagraph.yaml").sources["northwind"]
    declared = json.loads(source.model_dump_json(by_alias=True, exclude_none=True)) | {"url": f"sqlite:///{northwind}"}
    project = make_project(northwind=declared)
    load_all(project)
    stage_rows(project)
    staged = nodes(project)
    assert staged["northwind/Employees/EmployeeID=2"]["value"]["label"] == "Andrew Fuller"
    assert staged["northwind/Customers/CustomerID=ALFKI"]["value"]["label"] == "Alfreds Futterkiste"
    order = staged["northwind/Orders/OrderID=10248"]
    assert (order["value"]["label"], order["mode"], order["valid_from"]) == ("Order 10248", "event", "1996-07-04 00:00:00+00")
    assert quarantine(project) == []
    photo = staged["northwind/Employees/EmployeeID=2"]["value"]["properties"][f"{BASE}northwind/Employees#Photo"]
    with closing(sqlite3.connect(northwind)) as connection:
        (size,) = connection.execute("SELECT length(Photo) FROM Employees WHERE EmployeeID = 2").fetchone()
    assert photo["bytes"] == size
