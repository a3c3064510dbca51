"""Erased records leave the landing file, and a load does not bring them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from staged import Clock, Database, Make

from stratagraph.forget import forget
from stratagraph.project import Project
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

CLUB = {
    "type": "recorded",
    "path": "club/*",
    "recorded_at": "%Y-%m-%dT%H%M%SZ",
    "mapping": {
        "class": "v:Member", "keys": ["id.a", "id.b"], "label": ["{name}"], "properties": {"note": "v:note"},
        "edges": [{"each": "posts", "predicate": "v:holdsPost", "object_class": "v:Post", "object_ref": "post/{kind}",
                   "valid_from": "start", "valid_to": "end"}],
    },
}  # fmt: skip
ZEB = {
    "id": {"a": "Z1", "b": "z-1"},
    "name": "Zebulon Quux",
    "posts": [{"kind": "chair", "start": "1987-06-05", "end": "2021-01-01"}],
}
ADA = {"id": {"a": "A1"}, "name": "Ada Byron", "posts": [{"kind": "chair", "start": "2021-01-01", "end": "2022-01-01"}]}


def run(project: Project) -> None:
    for name in project.config.sources:
        load_source(project, name)
    update_foreign_keys(project)
    stage_rows(project)
    commit_staged(project)


def version(folder: Path, name: str, records: list[dict[str, Any]]) -> None:
    (folder / "club").mkdir(exist_ok=True)
    (folder / "club" / name).write_text(yaml.safe_dump(records), encoding="utf-8")


def holding(project: Project, text: str) -> list[str]:
    """Tables of the landing file and the warehouse that hold a text."""
    found = []
    with project.landing_connection() as landing, project.read() as warehouse:
        for connection in (landing, warehouse):
            tables = connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
            ).fetchall()
            for schema, table in tables:
                query = f'SELECT 1 FROM "{schema}"."{table}" AS t WHERE contains(CAST(t AS VARCHAR), $text) LIMIT 1'
                found += [f"{schema}.{table}"] * bool(connection.execute(query, {"text": text}).fetchall())
    return found


@pytest.mark.parametrize("key", ["id.a=Z1", "id.b=z-1"])
def test_a_record_leaves_every_version_and_later_versions_do_not_bring_it(
    make_project: Make, tmp_path: Path, clock: Clock, key: str
) -> None:
    version(tmp_path, "2020-01-01T000000Z.yaml", [ZEB])
    version(tmp_path, "2021-01-01T000000Z.yaml", [ZEB, ADA])
    project = make_project(club=CLUB)
    run(project)
    with project.read() as connection:
        refs = [row[0] for row in connection.execute("SELECT DISTINCT subject FROM graph.statements").fetchall()]
    assert holding(project, "Zebulon")
    zeb = next(ref for ref in refs if ref.endswith("Z1"))
    ref = zeb if key == "id.a=Z1" else zeb.replace(key_part(zeb), "id.b=z-1")
    assert forget(project, "subject", ref).counts.known
    assert holding(project, "Zebulon") == []
    assert holding(project, "1987-06-05") == []  # nothing of what was nested in the record
    version(tmp_path, "2022-01-01T000000Z.yaml", [ZEB, ADA | {"note": "still here"}])
    run(project)
    assert holding(project, "Zebulon") == []
    assert holding(project, "still here")
    with project.read() as connection:
        assert connection.execute("SELECT count(*) FROM graph.edges_now").fetchall() == [(0,)]
        assert connection.execute("SELECT label FROM graph.nodes_now WHERE class LIKE '%Member'").fetchall() == [("Ada Byron",)]


def key_part(ref: str) -> str:
    return ref.rpartition("/")[2]


def test_a_row_leaves_the_log_of_rows_and_a_load_does_not_bring_it(make_project: Make, database: Database) -> None:
    database(
        """CREATE TABLE staff (branch TEXT, "no" INTEGER, name TEXT, PRIMARY KEY (branch, "no"));
           INSERT INTO staff VALUES ('a/b', 1, 'Zebulon Quux'), ('a/b', 2, 'Ada Byron');"""
    )
    project = make_project(shop={"type": "sql", "url": "sqlite:///shop.db"})
    run(project)
    assert {"shop.staff", "stratagraph.rows"} <= set(holding(project, "Zebulon"))
    done = forget(project, "source_record", 'shop/staff {"branch":"a/b","no":1}')
    assert done.counts.statements == 1
    assert holding(project, "Zebulon") == []
    database("INSERT INTO staff VALUES ('c', 1, 'Grace Hopper')")
    run(project)
    assert holding(project, "Zebulon") == []
    assert holding(project, "Grace Hopper")


@pytest.mark.parametrize("key", [["id"], None])
def test_a_row_of_a_file_leaves_with_what_is_nested_in_it(
    make_project: Make, tmp_path: Path, clock: Clock, key: list[str] | None
) -> None:
    """With a key and without one: what is erased stays away, although the file goes on saying it."""
    file = tmp_path / "orders.json"
    orders = [
        {"id": 1, "who": "Zebulon Quux", "items": [{"sku": "Zebulon's own"}]},
        {"id": 2, "who": "Ada Byron", "items": [{"sku": "book"}, {"sku": "Quux lamp"}]},
    ]
    file.write_text(json.dumps(orders), encoding="utf-8")
    load = {"orders": {"key": key if key is not None else []}}
    project = make_project(s={"type": "files", "path": "orders.json", "load": load, "infer_keys": False})
    run(project)
    assert {"s.orders", "s.orders__items", "stratagraph.rows", "graph.statements"} <= set(holding(project, "Zebulon"))
    with project.read() as connection:
        wanted = connection.execute(
            "SELECT node_id FROM graph.nodes_now WHERE contains(properties, 'Zebulon') ORDER BY length(node_id)"
        ).fetchall()
        lamp = connection.execute("SELECT node_id FROM graph.nodes_now WHERE contains(properties, 'lamp')").fetchall()
    assert len(wanted) == 2, "the order and its item"
    for (node,) in [*wanted, *lamp]:
        forget(project, "subject", node)
    for text in ("Zebulon", "lamp"):
        assert [table for table in holding(project, text) if not table.startswith("s.")] == []
    for _ in range(2):
        clock.forward()
        file.write_text(json.dumps([*orders, {"id": 3 + _, "who": "Lin"}]), encoding="utf-8")
        run(project)
        assert holding(project, "Zebulon") == [] and holding(project, "lamp") == []
    with project.read() as connection:
        left = connection.execute("SELECT count(*) FROM graph.nodes_now").fetchall()
    assert left == [(3,)], "Ada's order and her book, and the order of Lin"
