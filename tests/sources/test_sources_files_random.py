"""Random tables, written in random ways, come back exactly; random damage never changes a cell in silence."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats import delimited
from stratagraph.sources.read.formats.cells import CellStore
from stratagraph.sources.read.formats.delimited import BadRow, DelimitedFile
from stratagraph.sources.read.formats.dialects import find_dialect
from stratagraph.sources.read.formats.encoding import find_encoding
from stratagraph.sources.read.formats.inputs import Input

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
MANY = settings(FEW, max_examples=3000)
PIECES = st.sampled_from(
    [
        "a",
        "1",
        '"',
        "'",
        ",",
        ";",
        "\t",
        "|",
        "\n",
        "\r",
        "\r\n",
        "\\",
        " ",
        "é",
        "漢",
        "😀",
        "\x00",
        "#",
        "NULL",
        '""',
        "\x85",
        "\u2028",
    ]
)
CELL = st.lists(PIECES, max_size=6).map("".join) | st.text(st.characters(exclude_categories=("Cs",)), max_size=5)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that cross the border of two chunks in every test, not once in a gigabyte."""
    monkeypatch.setattr(delimited, "_CHUNK", 30)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 5))
    return draw(st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=12))


def written(rows: Sequence[Sequence[str]], width: int, delimiter: str, quote: str, eol: str, everything: bool) -> str:
    """As the csv module writes it, with quotes wherever there is a line end: that of Python 3.11 forgets some."""
    broken = any("\n" in cell or "\r" in cell for row in rows for cell in row)
    stream = io.StringIO(newline="")
    writer = csv.writer(
        stream, delimiter=delimiter, quotechar=quote, lineterminator=eol,
        quoting=csv.QUOTE_ALL if broken or everything else csv.QUOTE_MINIMAL,
    )  # fmt: skip
    writer.writerow([f"c{number}" for number in range(width)])
    writer.writerows(rows)
    return stream.getvalue()


def came_back(
    path: Path, codec: str | None, delimiter: str | None = None, quote: str | None = None
) -> tuple[list[list[Any]], list[BadRow]]:
    file = Input(path.name, path)
    encoding = find_encoding(file, codec)
    bad: list[BadRow] = []
    found = DelimitedFile(file, encoding, find_dialect(file, encoding, delimiter, quote), header=True)
    return [list(row) for batch in found.batches(bad.append) for row in zip(*(c.to_pylist() for c in batch), strict=True)], bad


def round_trip(tmp_path: Path, rows: list[list[str]], draw: Any) -> None:
    width = len(rows[0]) if rows else 3
    delimiter, eol = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    quote, everything = draw(st.sampled_from("\"'")), draw(st.booleans())
    text = written(rows, width, delimiter, quote, eol, everything)
    if draw(st.booleans()):
        text = text.removesuffix(eol)
    codec = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "utf-16-le"]))
    (tmp_path / "t.csv").write_bytes(text.encode(codec))
    declared = codec if codec in ("gb18030", "utf-16-le") or "\x00" in text else None
    told = everything or (quote == '"' and width > 1)
    got, bad = came_back(tmp_path / "t.csv", declared, None if width > 1 else delimiter, None if told else quote)
    assert bad == []
    assert got == rows


@FEW
@given(rows=tables(), data=st.data())
def test_tables_come_back_exactly(tmp_path: Path, rows: list[list[str]], data: st.DataObject) -> None:
    round_trip(tmp_path, rows, data.draw)


@pytest.mark.slow
@MANY
@given(rows=tables(), data=st.data())
def test_many_tables_come_back_exactly(tmp_path: Path, rows: list[list[str]], data: st.DataObject) -> None:
    round_trip(tmp_path, rows, data.draw)


def damaged(tmp_path: Path, rows: list[list[str]], at: int, by: str) -> None:
    """What comes back of a damaged file is what the strict parser makes of it row by row, nothing less and nothing else."""
    text = written(rows, len(rows[0]), ",", '"', "\n", False)
    place = at % (len(text) + 1)
    text = text[:place] + by + text[place:]
    (tmp_path / "t.csv").write_text(text, encoding="utf-8", newline="")
    try:
        got, bad = came_back(tmp_path / "t.csv", "utf-8", ",", '"')
    except SourceError as error:
        assert error.where is not None and error.where.startswith("t.csv")
        return
    header, *_ = csv.reader(io.StringIO(text, newline=""))
    expected: list[list[str]] = []
    refused = 0
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    next(reader)
    while True:
        try:
            for row in reader:
                expected += [row] if len(row) == len(header) else []
                refused += 0 < len(row) != len(header)
            break
        except csv.Error:
            refused += 1
    assert got == expected
    assert len(bad) == refused
    lines = io.StringIO(text, newline="").readlines()
    for row in bad:
        assert "".join(lines[row.line - 1 :]).startswith(row.raw)


@FEW
@given(rows=tables().filter(bool), at=st.integers(0, 10_000), by=st.sampled_from(['"', ",", "\n", "x", '",', '"\n', "\r"]))
def test_damage_is_reported(tmp_path: Path, rows: list[list[str]], at: int, by: str) -> None:
    damaged(tmp_path, rows, at, by)


@pytest.mark.slow
@MANY
@given(rows=tables().filter(bool), at=st.integers(0, 10_000), by=st.sampled_from(['"', ",", "\n", "x", '",', '"\n', "\r"]))
def test_much_damage_is_reported(tmp_path: Path, rows: list[list[str]], at: int, by: str) -> None:
    damaged(tmp_path, rows, at, by)


# Types

DIGITS = st.text("0123456789", min_size=1, max_size=3)
NUMBER = st.builds(
    "{}{}{}{}".format, st.sampled_from(["", "-", "+"]), DIGITS, st.sampled_from(["", ".", "e"]), DIGITS | st.just("")
)
LIKE_A_VALUE = (
    st.integers().map(str)
    | st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str)
    | NUMBER
    | st.dates().map(str)
    | st.datetimes().map(lambda moment: moment.isoformat(draw_separator(moment)))
    | st.sampled_from(["true", "false", "TRUE", "", "NA", "-0", "00123", "1_000", "١", "1.50", "1.5", "2024-02-30", "inf"])
)
KINDS = st.sampled_from(
    [
        st.integers(-(10**20), 10**20).map(str),
        st.integers(-(10**40), 10**40).map(str),
        st.decimals(-1000, 1000, places=2).map(str),
        st.decimals(-1000, 1000, allow_nan=False).map(lambda number: format(number, "f")),
        st.dates().map(str),
        st.datetimes().map(lambda moment: moment.isoformat(sep="T")),
        st.datetimes(timezones=st.none()).map(lambda moment: moment.replace(microsecond=0).isoformat(sep=" ")),
        st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z"),
        st.booleans().map(lambda value: str(value).lower()),
        LIKE_A_VALUE,
    ]
)


def draw_separator(moment: datetime) -> str:
    return "T" if moment.second % 2 else " "


def spelled(value: Any, scale: int | None, text: str) -> str:
    """A typed cell in the spelling of its column, as far as its value says it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        plain = format(value, "f")
        return plain if scale else (plain.rstrip("0").rstrip(".") if "." in plain else plain)
    if isinstance(value, datetime):
        fraction = len(text.rstrip("Z").partition(".")[2]) if scale else len(f"{value.microsecond:06}".rstrip("0"))
        moment = value.replace(tzinfo=None).isoformat(sep=text[10], timespec="microseconds")
        return moment[: 19 + (fraction + 1 if fraction else 0)] + ("Z" if value.tzinfo else "")
    return str(value)


def typed(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    import pyarrow as pa

    folder = tmp_path_factory.mktemp("cells")
    store = CellStore(folder, ["cell"])
    with store.writer(["cell"], [""]) as writer:
        writer.write([pa.array(cells, pa.string())])
    kinds = store.types()
    values = [value for table in store.tables(kinds) for value in table.column(0).to_pylist()]
    fractions = {len(cell.rstrip("Z").partition(".")[2]) for cell in cells if cell}
    fixed = len(fractions) == 1
    assert [spelled(value, fixed, cell) for value, cell in zip(values, cells, strict=True)] == cells, kinds


@settings(FEW, max_examples=20)
@given(cells=KINDS.flatmap(lambda kind: st.lists(kind, min_size=1, max_size=6)))
def test_a_type_loses_no_spelling(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    typed(tmp_path_factory, cells)


@pytest.mark.slow
@settings(FEW, max_examples=400)
@given(cells=KINDS.flatmap(lambda kind: st.lists(kind, min_size=1, max_size=6)))
def test_no_type_loses_any_spelling(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    typed(tmp_path_factory, cells)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-20", "0", ""], "integer"),
        (["1", "12345678901234567890123456789012345678"], "integer"),
        (["1", "123456789012345678901234567890123456789"], "text"),
        (["00123", "1"], "text"),
        (["+1"], "text"),
        (["-0"], "text"),
        (["1e5"], "text"),
        (["1.5", "2", "0.25"], "decimal"),
        (["1.50", "2.00"], "decimal"),
        (["1.50", "2.5"], "text"),
        (["-0.00"], "text"),
        ([".5"], "text"),
        (["true", "false", ""], "boolean"),
        (["True"], "text"),
        (["2024-02-29", "0001-01-01", "9999-12-31", ""], "date"),
        (["2024-02-30"], "text"),
        (["2024-2-3"], "text"),
        (["2024-02-29T12:00:00", "2024-02-29T12:00:00.5"], "timestamp"),
        (["2024-02-29 12:00:00"], "timestamp"),
        (["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z"], "timestamp with time zone"),
        (["2024-02-29T12:00:00", "2024-02-29 12:00:00"], "text"),
        (["2024-02-29T12:00:00", "2024-02-29T12:00:00Z"], "text"),
        (["2024-02-29T12:00:00+02:00"], "text"),
        (["2024-02-29T12:00:00.1234567"], "text"),
        (["2024-02-29T24:00:00"], "text"),
        (["2024-02-29T12:60:00"], "text"),
        (["2024-02-29T12:00:60"], "text"),
        (["", ""], "text"),
        ([], "text"),
        (["1"] * 2_000 + ["x"], "text"),
        (["٣"], "text"),
        (["1\n"], "text"),
    ],
)
def test_types(tmp_path: Path, cells: list[str], kind: str) -> None:
    import pyarrow as pa

    store = CellStore(tmp_path, ["cell"])
    with store.writer(["cell"], [""]) as writer:
        if cells:
            writer.write([pa.array(cells, pa.string())])
    assert store.types()["cell"].name == kind
