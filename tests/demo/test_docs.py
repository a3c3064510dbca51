"""What the pages show really runs: every SQL example, the README's first query with its output, its Python example."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stratagraph.project import Project
from stratagraph.snapshot.reader import Snapshot

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    return [(page.name, block) for page in PAGES for block in blocks(page, "sql")]


@pytest.mark.parametrize(("page", "query"), examples(), ids=[f"{page}-{n}" for n, (page, _) in enumerate(examples())])
def test_sql_examples_run_and_answer(demo: Snapshot, page: str, query: str) -> None:
    assert demo.sql(query).rows, f"{page}: no rows from\n{query}"


def run(command: list[str], project: Project, folder: Path) -> str:
    environment = os.environ | {"COLUMNS": "120", "STRATAGRAPH_DATA_DIR": str(project.data_dir), "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_query_of_the_readme_prints_what_the_readme_shows(demo_project: Project, demo: Snapshot) -> None:
    page = CHECKOUT / "README.md"
    command = next(shlex.split(block) for block in blocks(page, "sh") if "stratagraph sql" in block)
    shown = blocks(page, "text")[0]
    printed = run(
        [sys.executable, "-m", "stratagraph", *command[1:], "--path", str(demo_project.snapshots)], demo_project, CHECKOUT
    )
    assert printed.strip() == shown.strip()


def test_the_python_example_of_the_readme_runs(demo_project: Project, demo: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(demo_project.data_dir)
    example = blocks(CHECKOUT / "README.md", "python")[0]
    assert "Elena Novak" in run([sys.executable, "-c", example], demo_project, tmp_path)


def test_every_page_that_a_page_links_to_is_there() -> None:
    missing = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                missing.append(f"{page.name}: {target}")
    assert missing == []
