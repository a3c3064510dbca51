"""A warehouse of another version is one clear message, and stays as it is."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from stratagraph.errors import WarehouseError
from stratagraph.project import Project

CONFIG = """
version: 1
ontology: {files: [core.ttl]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "stratagraph.yaml").write_text(CONFIG, encoding="utf-8")
    return Project.load(tmp_path / "stratagraph.yaml")


@pytest.mark.parametrize(
    "change",
    ["UPDATE graph.schema_version SET version = 99", "DROP TABLE graph.schema_version", "DELETE FROM graph.schema_version"],
)
def test_another_version_is_refused_for_reading_and_writing(project: Project, change: str) -> None:
    with project.write() as connection:
        connection.execute(change)
    before = project.warehouse.read_bytes()
    for opened in (project.read, project.write):
        with (
            pytest.raises(
                WarehouseError, match=r"warehouse\.duckdb: its tables have version (99|none), and this release needs"
            ),
            opened(),
        ):
            pass
    assert project.warehouse.read_bytes() == before


def test_an_empty_file_is_a_new_warehouse(project: Project) -> None:
    project.data_dir.mkdir()
    duckdb.connect(str(project.warehouse)).close()
    with project.write() as connection:
        assert connection.execute("SELECT count(*) FROM graph.statements").fetchone() == (0,)
    with project.read() as connection:
        assert connection.execute("SELECT version FROM graph.schema_version").fetchone() is not None
