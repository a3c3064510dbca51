"""The configuration page names every key with its default, and the starter loads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

import stratagraph.config
from stratagraph.config import Config, documents, load_config, model, sources

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
SECTIONS = list(
    dict.fromkeys(
        value
        for module in (model, sources, documents)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, model.Strict)
    )
)


def rows() -> Iterator[tuple[str, str]]:
    """(names, the rest) of every row of every table."""
    for line in PAGE.splitlines():
        if line.startswith("| "):
            yield from ((cell, line) for cell in line.split("|")[1:3])


def fields() -> list[tuple[type[BaseModel], str]]:
    return [
        (section, field.alias or name)
        for section in SECTIONS
        for name, field in section.model_fields.items()
        if get_args(field.annotation) != (field.default,) and name != "type"
    ]


@pytest.mark.parametrize(("section", "key"), fields(), ids=lambda value: getattr(value, "__name__", value))
def test_every_key_stands_in_a_table_with_its_default(section: type[BaseModel], key: str) -> None:
    lines = [line for names, line in rows() if f"`{key}`" in names]
    assert lines, f"{section.__name__}.{key} is not documented"
    field = next(field for name, field in section.model_fields.items() if key in (field.alias, name))
    if isinstance(field.default, (int, float, str, Path)) and not isinstance(field.default, bool):
        assert any(f"`{field.default}`" in line for line in lines), f"{key}: the default {field.default} is not documented"


def test_no_key_is_documented_that_does_not_exist() -> None:
    known = {key for _, key in fields()} | {"version", "type", "files", "episodes", "chats"}
    documented = {
        name for line in PAGE.splitlines() if line.startswith("| ") for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert documented <= known


def test_the_examples_load(tmp_path: Path) -> None:
    example = PAGE.split("```yaml\n")[1].split("```")[0]
    file = tmp_path / "stratagraph.yaml"
    file.write_text(example, encoding="utf-8")
    assert load_config(file, {"SHOP_PASSWORD": "x"}).sources["shop"].type == "sql"


@pytest.mark.parametrize("uncommented", [False, True])
def test_the_starter_loads_also_with_its_examples_uncommented(tmp_path: Path, uncommented: bool) -> None:
    text = (Path(stratagraph.config.__file__).parent / "starter.yaml").read_text(encoding="utf-8")
    if uncommented:
        text = re.sub(r"^(  +)# (?=[\w ]+:( |$))", r"\1", text, flags=re.MULTILINE).replace("  engine: embedded\n", "")
    file = tmp_path / "stratagraph.yaml"
    file.write_text(text, encoding="utf-8")
    config = load_config(file, {"SHOP_PASSWORD": "x"})
    assert isinstance(config, Config)
    assert bool(config.sources) == uncommented
    assert (config.extraction.engine == "openai") == uncommented
