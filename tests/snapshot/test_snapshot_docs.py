"""The Python examples of the documentation run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stratagraph.project import Project

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["search.md", "snapshots.md", "communities.md"])
def test_examples_run(published: Project, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, object] = {"path": published.data_dir}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert blocks and capsys.readouterr().out
