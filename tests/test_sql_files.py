"""All SQL stands in files: each says what a row is, parses, and is used."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
FILES = sorted((CHECKOUT / "sql").rglob("*.sql"))
ROOMS = ("stratagraph", "assets", "dagster_project")


def name_of(file: Path) -> str:
    return str(file.relative_to(CHECKOUT / "sql"))


@pytest.fixture(scope="module")
def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for room in ROOMS for path in (CHECKOUT / room).rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_opens_with_what_it_is(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith("-- ")


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_parses(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("{limit}", "LIMIT 1")
    text = re.sub(r"\{query\}", "SELECT 1", text)
    text = re.sub(r"\{[a-z_]+\}", "x", text)
    assert duckdb.extract_statements(text)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_is_used(file: Path, sources: str) -> None:
    composed = re.findall(r"""f["']([a-z_]*\{[a-z_.]+\}[a-z_]*)["']""", sources)
    names = [re.sub(r"\\\{[a-z_.\\]+\\\}", "[a-z_]+", re.escape(name)) for name in composed]
    used = re.search(rf"""["']{file.stem}["']""", sources) or any(re.fullmatch(name, file.stem) for name in names)
    assert used, f"nothing names {file.stem}"


def test_no_other_module_builds_sql(sources: str) -> None:
    """A statement in Python text would escape the rule that values are parameters and identifiers are quoted in one place."""
    assert re.findall(r"""execute\(\s*f?["'](?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|COPY)\b""", sources) == []
