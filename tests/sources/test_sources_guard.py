"""What a source loses at once: refused until the config says that it is meant, and never half-done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from staged import Clock, Database, Make, load_all

from stratagraph.config.model import GuardConfig
from stratagraph.errors import CommitRefusedError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

SHOP = {"type": "sql", "url": "sqlite:///shop.db"}
TWO = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
TABLES = ("statements", "evidence", "nodes", "edges", "support", "identities", "runs", "quarantine", "foreign_keys")


def run(project: Project, clock: Clock) -> int:
    clock.forward()
    load_all(project)
    staged = stage_rows(project)
    commit_staged(project)
    return staged.batches


def meant(project: Project) -> Project:
    """The project with a guard that lets everything go."""
    return replace(project, config=project.config.model_copy(update={"guard": GuardConfig(max_shrink=1)}))


def ask(project: Project, query: str, *parameters: object) -> list[Any]:
    with project.read() as connection:
        return connection.execute(query, list(parameters)).fetchall()


def sizes(project: Project) -> list[int]:
    return [ask(project, f"SELECT count(*) FROM graph.{table}")[0][0] for table in TABLES]


def labels(project: Project, of: str = "") -> list[str]:
    query = "SELECT label FROM graph.nodes_now WHERE node_id LIKE ? ORDER BY label"
    return [label for (label,) in ask(project, query, f"%{of}%")]


@pytest.mark.parametrize("valid_time", ["load", "always"])
def test_a_database_that_is_suddenly_empty_is_refused(
    valid_time: str, make_project: Make, database: Database, clock: Clock
) -> None:
    database(TWO)
    project = make_project(s=SHOP | {"valid_time": valid_time})
    run(project, clock)
    before = sizes(project)
    database("DELETE FROM t")
    for _ in range(2):  # it is not believed the second time either
        with pytest.raises(CommitRefusedError, match=r"(?s)sources\.s.*2 of 2 rows vanished.*max_shrink: 1"):
            run(project, clock)
    assert stage_rows(project).batches == 0, "what stands behind the load sees the last whole one"
    assert (sizes(project), labels(project)) == (before, ["a", "b"])
    database("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    assert (run(project, clock), sizes(project)) == (0, before), "a table that was refilled in time never was empty"
    database("DELETE FROM t")
    project = meant(make_project(s=SHOP | {"valid_time": valid_time}))
    assert run(project, clock) == 1
    assert labels(project) == []


def test_rows_that_are_replaced_by_others_are_no_loss(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (msg TEXT); INSERT INTO t VALUES ('a'), ('b'), ('b'), ('b')")
    project = make_project(s=SHOP)
    run(project, clock)
    database("DELETE FROM t; INSERT INTO t VALUES ('c'), ('d'), ('e')")
    assert run(project, clock) == 1
    assert ask(project, "SELECT count(*) FROM graph.nodes_now") == [(3,)]


def test_a_source_taken_out_of_the_config_is_withdrawn_when_the_guard_lets_it(
    make_project: Make, database: Database, clock: Clock, tmp_path: Path
) -> None:
    database(TWO + "; CREATE TABLE k (a TEXT PRIMARY KEY, n INT); INSERT INTO k VALUES (NULL, 1)")
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "2024-01-01.yaml").write_text(yaml.safe_dump([{"id": 1, "name": "Ann"}]), encoding="utf-8")
    mapping = {"class": "v:Member", "keys": ["id"], "label": ["{name}"]}
    club = {"type": "recorded", "path": "club/*", "recorded_at": "%Y-%m-%d", "mapping": mapping}
    run(make_project(s=SHOP, club=club), clock)
    known = clock()
    before = sizes(make_project(s=SHOP, club=club))

    project = make_project()
    with pytest.raises(CommitRefusedError, match=r"(?s)sources\.club.*no longer in the config.*max_shrink: 1"):
        run(project, clock)
    assert sizes(project) == before

    project = meant(make_project())
    assert run(project, clock) == 2
    assert labels(project) == []
    assert ask(project, "SELECT count(*) FROM graph.nodes_as_of('infinity', ?)", known) == [(0,)]
    assert ask(project, "SELECT count(*) FROM graph.nodes WHERE recorded_from <= ? AND recorded_to > ?", known, known) == [(3,)]
    assert ask(project, "SELECT count(*) FROM graph.quarantine") == [(0,)], "nothing is refused of a source that is gone"
    gone = sizes(project)
    assert (run(project, clock), run(make_project(), clock), sizes(project)) == (0, 0, gone), "withdrawn once"

    project = make_project(s=SHOP, club=club)
    run(project, clock)
    assert labels(project) == ["Ann", "a", "b"]
    assert ask(project, "SELECT count(*) FROM graph.quarantine") == [(1,)]
    back = sizes(project)
    assert (run(project, clock), sizes(project)) == (0, back)


def test_a_renamed_source_is_another_one(make_project: Make, database: Database, clock: Clock) -> None:
    database(TWO)
    run(make_project(old=SHOP), clock)
    project = make_project(new=SHOP)
    load_source(project, "new")
    with pytest.raises(CommitRefusedError, match=r"'old' is no longer in the config"):
        stage_rows(project)
    project = meant(make_project(new=SHOP))
    run(project, clock)
    assert (labels(project, "/old/"), labels(project, "/new/")) == ([], ["a", "b"])
