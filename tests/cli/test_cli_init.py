"""`init` writes a project that loads, and never overwrites."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from stratagraph.cli.main import main
from stratagraph.ontology.load import load_ontology
from stratagraph.project import Project


def test_the_starter_loads_and_its_ontology_parses(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["init", str(tmp_path / "new" / "graph")])
    assert result.exit_code == 0, result.output
    project = Project.load(tmp_path / "new" / "graph" / "stratagraph.yaml")
    assert project.data_dir == tmp_path / "new" / "graph" / "data"
    assert (project.root / "documents").is_dir()
    ontology = load_ontology([project.resolve(file) for file in project.config.ontology.files])
    assert ontology.properties[project.expand("my:worksFor")].single_valued


@pytest.mark.parametrize("name", ["stratagraph.yaml", "ontology.ttl"])
def test_nothing_is_overwritten_and_nothing_else_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    result = CliRunner().invoke(main, ["init", str(tmp_path)])
    assert result.exit_code == 1
    assert f"{name} already there; nothing was written" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_gitignore_of_the_user_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine")
    assert CliRunner().invoke(main, ["init", str(tmp_path)]).exit_code == 0
    assert (tmp_path / ".gitignore").read_text() == "mine"
