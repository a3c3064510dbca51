"""What is staged next, given what is committed: sources that come back to an earlier state, and mappings that change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from staged import Clock, Database, Make, load_all

from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import StageResult, stage_rows
from stratagraph.staging import staged_batches
from stratagraph.temporal.run import commit_staged

SHOP = {"type": "sql", "url": "sqlite:///shop.db", "valid_time": "always"}
CLUB = {
    "type": "recorded",
    "path": "club/*",
    "recorded_at": "%Y-%m-%d",
    "mapping": {"class": "v:Member", "keys": ["id"], "label": ["{name}"]},
}


def run(project: Project, clock: Clock) -> StageResult:
    clock.forward()
    load_all(project)
    staged = stage_rows(project)
    commit_staged(project)
    return staged


def labels(project: Project) -> list[str]:
    with project.read() as connection:
        rows = connection.execute("SELECT label FROM graph.nodes_now ORDER BY node_id, label").fetchall()
    return [label for (label,) in rows]


def times(project: Project) -> list[datetime | None]:
    return [item.batch.recorded_at for item in staged_batches(project, "rows")]


def write(folder: Path, day: str, *names: str) -> None:
    (folder / "club").mkdir(exist_ok=True)
    records: list[dict[str, Any]] = [{"id": number, "name": name} for number, name in enumerate(names)]
    (folder / "club" / f"{day}.yaml").write_text(yaml.safe_dump(records), encoding="utf-8")


def test_a_source_that_returns_to_an_earlier_state_is_believed(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a')")
    project = make_project(s=SHOP)
    run(project, clock)
    for name in ("b", "a", "b", "a"):
        database(f"UPDATE t SET name = '{name}'")
        assert run(project, clock).batches == 1
        assert labels(project) == [name]
        assert not run(project, clock).changed


def test_a_change_that_is_undone_before_it_is_committed(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a')")
    project = make_project(s=SHOP)
    run(project, clock)
    database("UPDATE t SET name = 'b'")
    load_all(project)
    assert stage_rows(project).batches == 1
    database("UPDATE t SET name = 'a'")
    assert not run(project, clock).changed
    assert labels(project) == ["a"] and times(project) == []


def test_a_new_mapping_states_the_last_version_anew(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    write(tmp_path, "2024-01-01", "Ada", "Ben")
    write(tmp_path, "2024-02-01", "Ada L", "Ben")
    assert run(make_project(club=CLUB), clock).batches == 2
    for label, wanted in (("<{name}>", ["<Ada L>", "<Ben>"]), ("{name}", ["Ada L", "Ben"]), ("<{name}>", ["<Ada L>", "<Ben>"])):
        project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"label": [label]}})
        clock.forward()
        assert stage_rows(project).batches == 1
        assert times(project) == [None]  # from now on; what was believed before stays what it was
        commit_staged(project)
        assert labels(project) == wanted
        assert not run(project, clock).changed
    write(tmp_path, "2024-03-01", "Ada L", "Ben B")
    assert run(project, clock).batches == 1
    assert labels(project) == ["<Ada L>", "<Ben B>"]
    with project.read() as connection:
        believed = connection.execute(
            "SELECT label FROM graph.nodes_as_of('2024-01-15', '2024-01-15') ORDER BY label"
        ).fetchall()
    assert believed == [("Ada",), ("Ben",)]


def test_a_new_mapping_and_a_new_version_at_once(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    write(tmp_path, "2024-01-01", "Ada")
    run(make_project(club=CLUB), clock)
    write(tmp_path, "2024-02-01", "Ada L")
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"label": ["<{name}>"]}})
    load_all(project)
    stage_rows(project)
    assert times(project) == [datetime(2024, 2, 1, tzinfo=UTC)]
    commit_staged(project)
    assert labels(project) == ["<Ada L>"]
    assert not run(project, clock).changed


def test_a_version_that_comes_late_is_refused_once_a_later_one_is_committed(
    make_project: Make, tmp_path: Path, clock: Clock
) -> None:
    write(tmp_path, "2024-02-01", "Ada")
    project = make_project(club=CLUB)
    load_source(project, "club")
    stage_rows(project)
    write(tmp_path, "2024-01-01", "Eve")  # nothing is committed yet: it takes its place
    run(project, clock)
    assert labels(project) == ["Ada"]
    with project.read() as connection:
        assert connection.execute("SELECT label FROM graph.nodes_as_of('2024-01-15', '2024-01-15')").fetchall() == [("Eve",)]
    write(tmp_path, "2023-12-01", "Zoe")
    with pytest.raises(SourceError, match=r"2023-12-01\.yaml: a new version is not later than .* 2024-02-01\.yaml"):
        load_source(project, "club")


def test_the_order_of_batches_stays_while_some_are_committed(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    for day in range(1, 5):
        write(tmp_path, f"2024-01-0{day}", f"Ada {day}")
    project = make_project(club=CLUB)
    load_all(project)
    stage_rows(project)
    before = staged_batches(project, "rows")
    # As after a crash: the first two are committed, all four are still staged.
    kept = [item.folder.rename(tmp_path / item.folder.name) for item in before[2:]]
    commit_staged(project)
    for folder in kept:
        folder.rename(project.staging / "rows" / folder.name)
    assert not stage_rows(project).changed
    assert [item.batch for item in staged_batches(project, "rows")] == [item.batch for item in before[2:]]
