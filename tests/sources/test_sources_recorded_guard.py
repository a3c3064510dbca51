"""A version that loses too much is refused and the next one loads: by rule, by config, and with the currency codes."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from staged import Clock, Make, landing, quarantine

from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.recorded.load import recorded_versions
from stratagraph.sources.recorded.versions import Counted, judge
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

OWN = Path(__file__).parents[1] / "data" / "currency_codes"
SHARED = Path(__file__).parents[3] / "shared/data/currency_codes_history"
HEADINGS = {
    "Alphabetic Code": "AlphabeticCode", "Numeric Code": "NumericCode", "Minor unit": "MinorUnit",
    "Withdrawal Date": "WithdrawalDate", "WithdrawalInterval": "WithdrawalDate",
}  # fmt: skip
CODES: dict[str, Any] = {
    "type": "recorded", "path": "codes/*.csv", "recorded_at": "%Y-%m-%dT%H%M%SZ",
    "keys": [["Entity", "AlphabeticCode", "WithdrawalDate"]], "rename": HEADINGS,
}  # fmt: skip
EMPTY = "2024-10-21T070124Z_f2d9a17249.csv"


def run(project: Project) -> int:
    load_source(project, "codes")
    stage_rows(project)
    return commit_staged(project).batches


@pytest.mark.parametrize(
    ("counts", "share", "accept", "states"),
    [
        ([(10, 0), (7, 0), (4, 0)], 0.3, "", "aar"),
        ([(10, 0), (6, 0), (7, 0)], 0.3, "", "ara"),  # the third is compared with the first
        ([(10, 0), (0, 0), (0, 0), (10, 0)], 0.3, "", "arra"),
        ([(10, 0), (0, 0), (10, 0)], 1.0, "", "aaa"),
        ([(0, 0), (10, 0), (0, 0)], 0.3, "", "aar"),
        ([(10, 40), (10, 0), (10, 30)], 0.3, "", "ara"),  # the records are there and what is nested in them is gone
        ([(10, 40), (6, 44)], 0.3, "", "ar"),
        ([(10, 1), (10, 0)], 0.3, "", "aa"),
        ([(10, 0), (0, 0), (0, 0), (5, 0)], 0.3, "b", "aaaa"),  # from the accepted one on
        ([(10, 0), (5, 0), (5, 0)], 0.3, "c", "ara"),
    ],
)
def test_each_version_is_compared_with_the_last_one_that_was_accepted(
    counts: Sequence[tuple[int, int]], share: float, accept: str, states: str
) -> None:
    versions = [Counted(name, *count) for name, count in zip("abcd", counts, strict=False)]
    assert "".join(verdict.state[0] for verdict in judge(versions, None, share, list(accept))) == states
    for cut in range(1, len(versions)):  # what was committed in between makes no difference
        before = judge(versions[:cut], None, share, list(accept))
        last = max(number for number, verdict in enumerate(before) if verdict.state == "accepted")
        after = judge(versions[cut:], versions[last], share, list(accept))
        assert "".join(verdict.state[0] for verdict in [*before, *after]) == states


def write(folder: Path, name: str, count: int, heading: str = "id") -> Path:
    path = folder / "codes" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([heading, *map(str, range(count))]), encoding="utf-8")
    return path


def states(project: Project) -> list[str]:
    return [version.state for version in recorded_versions(project, "codes")]


@pytest.mark.slow
def test_the_config_may_accept_and_what_was_passed_over_stays_out(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    source = CODES | {"keys": ["id"], "rename": {}, "recorded_at": "%Y", "max_shrink": 0.5}
    for year, count in ((2001, 10), (2002, 5), (2003, 1), (2004, 6)):
        write(tmp_path, f"{year}.csv", count)
    write(tmp_path, "2005.csv", 6, heading="ID number")  # no record can be told from another: none is stated
    project = make_project(codes=source)
    load_source(project, "codes")
    assert states(project) == ["accepted", "accepted", "refused", "accepted", "refused"]
    assert stage_rows(project).quarantined == 2
    assert not stage_rows(project).changed
    project = make_project(codes=source | {"accept": ["2003.csv"]})
    assert load_source(project, "codes").changed
    assert states(project) == ["accepted"] * 4 + ["refused"]
    project = make_project(codes=source)
    load_source(project, "codes")
    stage_rows(project)
    assert states(project)[2] == "refused"
    assert commit_staged(project).batches == 3
    # Nothing brings the refused version back: not its acceptance, not another guard, not a new version.
    write(tmp_path, "2006.csv", 7)
    project = make_project(codes=source | {"accept": ["2003.csv"], "max_shrink": 1.0})
    assert run(project) == 2
    assert states(project) == ["accepted", "accepted", "refused", "accepted", "accepted", "accepted"]
    with project.read() as connection:
        times = connection.execute(
            "SELECT DISTINCT year(timezone('UTC', recorded_from)) FROM graph.nodes ORDER BY ALL"
        ).fetchall()
    assert times == [(2001,), (2004,), (2006,)]
    assert [location for reason, location, _ in quarantine(project) if reason == "guard_shrink"] == ["codes/2003.csv"]
    with pytest.raises(ConfigError, match=r"there is no version '2003'(.|\n)*2003\.csv"):
        load_source(make_project(codes=source | {"accept": ["2003"]}), "codes")


def test_a_version_that_cannot_be_read_may_be_skipped(make_project: Make, tmp_path: Path) -> None:
    source = CODES | {"keys": ["id"], "rename": {}, "recorded_at": "%Y"}
    write(tmp_path, "2001.csv", 3)
    write(tmp_path, "2002.csv", 3).write_text('id\n"1', encoding="utf-8")
    write(tmp_path, "notes.csv", 3)
    project = make_project(codes=source | {"skip": ["2002.csv", "notes.csv"]})
    load_source(project, "codes")
    assert states(project) == ["accepted"]


def rows_of(file: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """(Entity, AlphabeticCode, WithdrawalDate) -> the cells that are not empty, read without the pipeline."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = [{HEADINGS.get(name, name): cell for name, cell in row.items() if cell} for row in csv.DictReader(opened)]
    return {tuple(row.get(name, "") for name in CODES["keys"][0]): row for row in rows}


def time_of(file: str) -> datetime:
    return datetime.strptime(file[:18], "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)


def check_history(project: Project, folder: Path) -> None:
    """What is believed at the time of each version is what the version says; at the empty one, what was before."""
    before: dict[tuple[str, ...], dict[str, str]] = {}
    for file in sorted(folder.glob("*.csv")):
        time = time_of(file.name)
        said = rows_of(file) or before
        with project.read() as connection:
            rows = connection.execute("SELECT properties FROM graph.nodes_as_of('2000-01-01', ?)", [time]).fetchall()
        found = [{name.partition("#")[2]: value for name, value in json.loads(text).items()} for (text,) in rows]
        assert sorted(map(sorted, (row.items() for row in found))) == sorted(
            map(sorted, (row.items() for row in said.values()))
        )
        before = said


def test_the_empty_version_of_the_currency_codes_is_refused_and_the_next_one_loads(make_project: Make, tmp_path: Path) -> None:
    first, second, _, _, last = (file.name for file in sorted(OWN.glob("*.csv")))
    folder = tmp_path / "codes"
    folder.mkdir()
    for name in (first, second, EMPTY, last):
        shutil.copy(OWN / name, folder)
    project = make_project(codes=CODES)
    result = load_source(project, "codes")
    assert (result.versions, result.refused, result.rows) == (4, 1, 429 + 429 + 0 + 445)
    assert result.metadata()["refused_versions"] == (
        f"{EMPTY}: 429 of the 429 records of {second} are gone; more than a share of 0.3 is refused"
    )
    with landing(project) as connection:
        changes = connection.execute(
            "SELECT column_name, change, before, after FROM stratagraph.schema_changes ORDER BY seen_at, column_name"
        ).fetchall()
    renamed = sorted((new, "renamed", old, new) for old, new in HEADINGS.items() if " " in old)
    assert changes == [*renamed, ("Remark", "dropped", None, None)]
    stage_rows(project)
    assert commit_staged(project).batches == 3
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [("guard_shrink", f"codes/{EMPTY}")]
    with project.read() as connection:
        again = "SELECT count(*) FROM graph.nodes WHERE recorded_from = ?"
        assert connection.execute(again, [time_of(second)]).fetchone() == (0,), "other headings are no other records"
    check_history(project, folder)


@pytest.mark.slow
def test_all_versions_of_the_currency_codes(make_project: Make, clock: Clock, tmp_path: Path) -> None:
    clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    if not SHARED.is_dir():
        pytest.skip("../shared/data/currency_codes_history is absent")
    shutil.copytree(SHARED / "codes-all", tmp_path / "codes")
    shutil.copy(SHARED / "manifest.jsonl", tmp_path)
    (tmp_path / "codes-all").symlink_to(tmp_path / "codes")
    source = {name: value for name, value in CODES.items() if name != "recorded_at"}
    source |= {"manifest": {"path": "manifest.jsonl", "recorded_at": "committed_at"}}
    project = make_project(codes=source)
    result = load_source(project, "codes")
    assert (result.versions, result.refused) == (16, 1)
    stage_rows(project)
    assert commit_staged(project).batches == 15
    assert [location for _, location, _ in quarantine(project)] == [f"codes/{EMPTY}"]
    check_history(project, tmp_path / "codes")
