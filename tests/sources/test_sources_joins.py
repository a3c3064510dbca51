"""Whole databases: every declared foreign key gives the edges that the database's own join gives, pair by pair."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from joins import CHINOOK, Key, assert_edges_are_joins, postgres_keys, sakila_in_postgres, sakila_in_sqlite, sqlite_keys
from servers import run
from staged import Make, load_all, quarantine

from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.rows import stage_rows


@pytest.mark.databases
def test_chinook(make_project: Make) -> None:
    """With an employee's manager, who is one, and link tables of two columns."""
    engine = sa.create_engine(f"sqlite:///{CHINOOK}")
    project = make_project(chinook={"type": "sql", "url": f"sqlite:///{CHINOOK}", "valid_time": "always"})
    load_all(project)
    keys = sqlite_keys(engine)
    assert (update_foreign_keys(project).declared, len(keys)) == (11, 11)
    stage_rows(project)
    assert assert_edges_are_joins(project, "chinook", engine, keys) == 33_244
    assert Key("Employee", ("ReportsTo",), "Employee", ("EmployeeId",)) in keys
    assert quarantine(project) == []


@pytest.mark.databases
def test_sakila_in_sqlite(make_project: Make, tmp_path: Path) -> None:
    """With a cycle (a store's manager works in a store) and two keys to one table (a film's languages)."""
    url = sakila_in_sqlite(tmp_path / "sakila.db")
    project = make_project(sakila={"type": "sql", "url": url, "valid_time": "always"})
    load_all(project)
    keys = sqlite_keys(sa.create_engine(url))
    assert (update_foreign_keys(project).declared, len(keys)) == (22, 22)
    stage_rows(project)
    assert assert_edges_are_joins(project, "sakila", sa.create_engine(url), keys) > 100_000
    assert quarantine(project) == []


@pytest.mark.databases
def test_sakila_in_postgres(make_project: Make, postgres: sa.URL) -> None:
    """With tables that inherit from another, enums, domains, arrays, text vectors."""
    run(postgres.set(database="postgres"), "CREATE DATABASE sakila")
    url = postgres.set(database="sakila")
    sakila_in_postgres(url)
    text = url.render_as_string(hide_password=False)
    project = make_project(sakila={"type": "sql", "url": text, "valid_time": "always"})
    load_all(project)
    engine = sa.create_engine(url)
    keys = postgres_keys(engine)
    assert update_foreign_keys(project).declared == len(keys)
    stage_rows(project)
    assert assert_edges_are_joins(project, "sakila", engine, keys) > 100_000
    assert quarantine(project) == []
    engine.dispose()
