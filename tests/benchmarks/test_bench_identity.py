"""The benchmark of identity: both kinds of files are read, pairs are counted, and what blocking loses is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.identity import main

PAIRS = [
    ("Zyxo Dunkel", "Brauhaus Ems", "5.4 %", "Zyxo  DUNKEL", "Brauhaus Ems", "5.4 %", 1),
    ("Zyxo Dunkel", "Brauhaus Ems", "5.4 %", "Quark Pils", "Kellerei Ruhr", "4.1 %", 0),
    ("Amber Nine", "Hof Lahn", "6 %", "Amber Ten", "Hof Lahn", "6 %", 0),
]
PEOPLE = """rec_id, given_name, surname, postcode, soc_sec_id
rec-1-org, deakin, sondergeld, 2776, 2635962
rec-1-dup-0, deakin, sondergeld, 2776, 2635962
rec-2-org, kayla, harrington, 3465, 9004242
"""


def test_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ditto" / "Beer").mkdir(parents=True)
    (tmp_path / "febrl").mkdir()
    row = "COL name VAL {} COL maker VAL {} COL abv VAL {} \tCOL name VAL {} COL maker VAL {} COL abv VAL {} \t{}\n"
    (tmp_path / "ditto" / "Beer" / "test.txt").write_text("".join(row.format(*pair) for pair in PAIRS), encoding="utf-8")
    (tmp_path / "febrl" / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert main(["--data", str(tmp_path), "--json"]) == 0
    beer, people = json.loads(capsys.readouterr().out)
    assert (beer["records"], beer["wanted"], beer["found"], beer["right"], beer["f1"]) == (5, 1, 1, 1, 1.0)
    assert (people["wanted"], people["blocked"], people["found"], people["precision"]) == (1, 1, 1, 1.0)


def test_a_folder_without_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 1
    assert "neither ditto/ nor febrl/" in capsys.readouterr().err
