"""The benchmark of foreign keys: files in Spider's format are read and scored, and a file that is none is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.foreign_keys import main


def schema(name: str, tables: dict[str, dict[str, str]], primary: list[Any], keys: list[list[int]]) -> dict[str, Any]:
    """A schema in the format of Spider's tables.json: column 0 is `*` of no table."""
    columns = [(number, column, kind) for number, table in enumerate(tables) for column, kind in tables[table].items()]
    return {
        "db_id": name,
        "table_names_original": list(tables),
        "column_names_original": [[-1, "*"], *([number, column] for number, column, _ in columns)],
        "column_types": ["text", *(kind for _, _, kind in columns)],
        "primary_keys": primary,
        "foreign_keys": keys,
    }


SHOP = schema(
    "shop",
    {"customer": {"id": "number", "name": "text"}, "orders": {"order_id": "number", "customer_id": "number"}},
    [1, 3],
    [[4, 1]],
)
# A composite key, as later files of this format write it, and a reference to both of its parts.
COURSE = schema(
    "course",
    {"section": {"course_id": "text", "sec_id": "text"}, "takes": {"student": "text", "course_id": "text", "sec_id": "text"}},
    [[1, 2]],
    [[4, 1], [5, 2]],
)
LONELY = schema("lonely", {"a": {"x": "text"}, "b": {"y": "text"}}, [], [])
WRONG = schema("wrong", {"city": {"city_id": "number"}, "person": {"city_id": "number", "country": "text"}}, [1], [[3, 1]])


def scored(path: Path, schemas: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    path.write_text(json.dumps(schemas), encoding="utf-8")
    assert main(["--schemas", str(path), "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out)["schemas"])


def test_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(tmp_path / "tables.json", [SHOP, COURSE, LONELY, WRONG], capsys)
    assert (found["schemas"], found["wanted"], found["found"], found["right"]) == (4, 4, 4, 3)
    assert (found["precision"], found["recall"], found["f1"]) == (0.75, 0.75, 0.75)
    assert found["mean_f1"] == round(2 / 3, 4)  # of shop, course and wrong: the lonely one has none and gets none


def test_a_key_that_stands_twice_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(tmp_path / "tables.json", [SHOP | {"foreign_keys": [[4, 1], [4, 1]]}], capsys)
    assert (found["wanted"], found["f1"]) == (1, 1.0)


@pytest.mark.parametrize(
    "text", ["", "{}", '[{"db_id": "x"}]', "[1]", json.dumps([SHOP | {"foreign_keys": [[99, 1]]}])[:-30], "\x00"]
)
def test_what_is_no_file_of_schemas_is_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tables.json"
    path.write_text(text, encoding="utf-8")
    code = main(["--schemas", str(path)])
    captured = capsys.readouterr()
    if text == "{}":  # a file of no schemas
        assert code == 0
    else:
        assert (code, "is no file of schemas" in captured.err) == (1, True)


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--schemas", str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_a_large_file_of_tables_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scale", "8", "--rows", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scale"]
    assert (found["wanted"], found["precision"], found["recall"], found["identities"]) == (22, 1.0, 1.0, 8)
    assert found["seconds"] > 0
