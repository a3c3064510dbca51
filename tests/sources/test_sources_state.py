"""The small file that tells of the sources' tables without a database: what stands in it, and that it is whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from staged import Clock, Database, Make

from stratagraph.errors import WarehouseError
from stratagraph.sources.load import load_source
from stratagraph.sources.state import ReferenceState, read_states, state_file, write_state

SHOP = """
    CREATE TABLE "Order Details" (
        order_no INTEGER, line INTEGER, item TEXT REFERENCES item (code), PRIMARY KEY (order_no, line));
    CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE, parent INTEGER REFERENCES item);
    CREATE TABLE none (a);
    INSERT INTO item VALUES (1, 'a', NULL), (2, 'b', 1);
    INSERT INTO "Order Details" VALUES (1, 1, 'a')
"""


def test_what_the_last_load_found(make_project: Make, database: Database, clock: Clock) -> None:
    database(SHOP)
    project = make_project(shop={"type": "sql", "url": "sqlite:///shop.db"})
    assert read_states(project) == {}
    load_source(project, "shop")
    state = read_states(project)["shop"]
    tables = {table.name: table for table in state.tables}
    assert (state.kind, state.rows, state.loaded_at) == ("sql", 3, "2026-01-01T00:00:00.000000Z")
    assert {name: (table.landed_as, table.rows) for name, table in tables.items()} == {
        "Order Details": ("shop.order_details", 1),
        "item": ("shop.item", 2),
        "none": ("shop.none", 0),
    }
    assert [(key.kind, key.columns) for key in tables["Order Details"].keys] == [("primary", ("order_no", "line"))]
    assert {(key.kind, key.columns) for key in tables["item"].keys} == {("primary", ("id",)), ("unique", ("code",))}
    assert tables["item"].references == (ReferenceState(("parent",), "item", ("id",), "declared"),)
    assert str(tables["Order Details"].references[0]) == "(item) -> item(code)"

    before = state_file(project).read_bytes()
    load_source(project, "shop")
    assert state_file(project).read_bytes() == before

    clock.forward()
    database("DROP TABLE none; ALTER TABLE item ADD COLUMN price REAL; INSERT INTO item VALUES (3, 'c', 1, 2.5)")
    load_source(project, "shop")
    tables = {table.name: table for table in read_states(project)["shop"].tables}
    assert set(tables) == {"Order Details", "item"}
    assert ([column.name for column in tables["item"].columns], tables["item"].rows) == (["id", "code", "parent", "price"], 3)


def test_sources_that_are_gone_are_forgotten(make_project: Make, database: Database) -> None:
    database("CREATE TABLE a (x)", "one.db")
    database("CREATE TABLE b (x)", "two.db")
    one, two = ({"type": "sql", "url": f"sqlite:///{name}.db"} for name in ("one", "two"))
    project = make_project(one=one, two=two)
    for name in ("one", "two"):
        load_source(project, name)
    assert set(read_states(project)) == {"one", "two"}
    project = make_project(two=two)
    assert set(read_states(project)) == {"two"}
    load_source(project, "two")
    assert set(json.loads(state_file(project).read_text(encoding="utf-8"))["sources"]) == {"two"}
    assert write_state(project, "three") is None


def test_the_file_is_replaced_whole(make_project: Make, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database("CREATE TABLE a (x)")
    project = make_project(shop={"type": "sql", "url": "sqlite:///shop.db"})
    load_source(project, "shop")
    before = state_file(project).read_bytes()

    def full(*_: object, **__: object) -> int:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(WarehouseError, match="the disk is full"):
            write_state(project, "shop")
    assert state_file(project).read_bytes() == before
    assert not list(state_file(project).parent.glob("*.tmp"))
