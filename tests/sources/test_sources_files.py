"""Files as tables: which files make which table, every cell exactly as it stands, what can't be read reported or refused."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dlt.extract.exceptions import ResourceExtractionError
from staged import Clock, Make, landing, quarantine, statements

from stratagraph.errors import ConfigError, SourceError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.read.files import FileReader
from stratagraph.sources.read.formats import encoding, inputs
from stratagraph.sources.read.reader import Since
from stratagraph.sources.rows import stage_rows

SHARED = Path(__file__).parents[3] / "shared/data"


@dataclass
class Read:
    """What a reader brought. Records are as the landing file has them: each scalar is JSON text."""

    rows: dict[str, list[dict[str, Any]]]
    types: dict[str, str]
    refused: list[tuple[str, str, str, str]]
    notes: list[str]


Reading = Callable[..., Read]


@pytest.fixture
def read(make_project: Make) -> Reading:
    """Reads the sources's files without loading them."""

    def run(**config: Any) -> Read:
        return read_all(make_project(feed={"type": "files", **config}))

    return run


def read_all(project: Project) -> Read:
    rows: dict[str, list[dict[str, Any]]] = {}
    with FileReader(project, "feed", project.config.sources["feed"]).open(Since()) as opened:
        for resource in opened.resources:
            found = rows.setdefault(resource.name, [])
            try:
                for item in resource:
                    found += item.to_pylist() if isinstance(item, pa.Table) else [item]
            except ResourceExtractionError as error:
                assert error.__cause__ is not None
                raise error.__cause__ from None
        types = {f"{column.table_name}.{column.name}": column.type for column in opened.columns()}
        refused = [(item.reason, item.location, item.table, item.payload) for item in opened.refused()]
        return Read(rows, types, refused, list(opened.notes()))


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


# Which files make which table


def test_every_file_is_a_table_called_by_its_stem(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "in/My Orders.csv", "id,note\n1,x\n")
    write(tmp_path, "in/stops.txt", "stop_id\nA\n")
    write(tmp_path, "in/codes.tsv", "a\tb\n1,5\t2\n")
    write(tmp_path, "in/packed.csv.gz", gzip.compress(b"n\n7\n"))
    write(tmp_path, "in/.hidden.csv", "n\n7\n")
    assert read(path="in/*").rows == {
        "My Orders": [{"id": 1, "note": "x"}],
        "stops": [{"stop_id": "A"}],
        "codes": [{"a": "1,5", "b": 2}],
        "packed": [{"n": 7}],
    }


def test_some_files_make_a_table_in_order_of_name(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "in/2024-02.csv", "day,id,more\n2024-02-01,2,x\n")
    write(tmp_path, "in/2024-01.csv", "id;day\n1;2024-01-01\n")
    brought = read(tables={"orders": "in/*.csv"})
    assert [list(row.values()) for row in brought.rows["orders"]] == [
        [1, brought.rows["orders"][0]["day"], None],
        [2, brought.rows["orders"][1]["day"], "x"],
    ]
    assert brought.types == {"orders.id": "integer", "orders.day": "date", "orders.more": "text"}


def test_a_type_is_decided_by_all_files_of_a_table(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "in/1.csv", "id\n1\n2\n")
    write(tmp_path, "in/2.csv", "id\n007\n")
    assert read(tables={"t": "in/*.csv"}).rows["t"] == [{"id": "1"}, {"id": "2"}, {"id": "007"}]


def test_members_of_an_archive(read: Reading, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "feed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("stops.txt", b"\xef\xbb\xbfstop_id,name\r\nA,x\r\n")
        archive.writestr("../../outside.txt", "n\n1\n")
        archive.writestr("deeper/other.txt", "n\n1\n")
        archive.writestr("__MACOSX/._stops.txt", "n\n1\n")
    assert read(path="feed.zip/*.txt").rows == {"stops": [{"stop_id": "A", "name": "x"}]}
    assert read(path="*.zip/deeper/*.txt").rows == {"other": [{"n": 1}]}
    assert read(tables={"all": "feed.zip/stops.txt"}).rows == {"all": [{"stop_id": "A", "name": "x"}]}


def test_what_unpacks_to_far_more_than_its_size_is_refused(
    read: Reading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "_RATIO_FROM", 1_000_000)
    bomb = b"n\n" + b"0\n" * 1_000_000
    write(tmp_path, "bomb.csv.gz", gzip.compress(bomb, 9))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("bomb.csv", bomb)
    for path in ("*.gz", "bomb.zip/*"):
        with pytest.raises(SourceError, match=r"bomb\.csv.*unpacks to more than 1,000,000 bytes, 250 times its size"):
            read(path=path)


def test_damaged_archives_name_the_file(read: Reading, tmp_path: Path) -> None:
    packed = gzip.compress(b"n\n" + os.urandom(1000).hex().encode())
    write(tmp_path, "a/cut.csv.gz", packed[:-20])
    write(tmp_path, "b/no.zip", "no archive")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("x.csv", "n\n12345\n")
    write(tmp_path, "c/wrong.zip", content.getvalue().replace(b"12345", b"12346"))
    central = content.getvalue().index(b"PK\x01\x02")
    for name, offset, value in (("encrypted", 8, 1), ("unknown", 10, 97)):  # flags and method of the entry
        changed = bytearray(content.getvalue())
        changed[central + offset] = changed[offset - 2] = value
        write(tmp_path, f"c/{name}.zip", bytes(changed))
        with pytest.raises(SourceError, match=rf"c/{name}\.zip/x\.csv: it (is encrypted|cannot be unpacked)"):
            read(path=f"c/{name}.zip/*.csv")
    write(tmp_path, "c/no.csv.gz", "no gzip")
    for path, what in (
        ("c/*.gz", r"no\.csv\.gz"),
        ("a/*", r"cut\.csv\.gz"),
        ("b/no.zip/*.csv", r"no\.zip"),
        ("c/wrong.zip/*.csv", r"wrong\.zip/x\.csv"),
    ):
        with pytest.raises(SourceError, match=what):
            read(path=path)


@pytest.mark.parametrize(
    ("files", "config", "what"),
    [
        ({}, {"path": "in/*.csv"}, r"sources\.feed\.path: no file matches 'in/\*\.csv'"),
        ({"in/a.csv": "n\n1\n"}, {"tables": {"t": "in/b*"}}, r"sources\.feed\.tables\.t: no file matches"),
        (
            {"in/1/a.csv": "n\n1\n", "in/2/a.csv": "n\n1\n"},
            {"path": "in/**/*.csv"},
            "two files would be the table a.*\n.*`tables`",
        ),
        ({"a.csv": "n\n1\n", "a.json": "[]"}, {"path": "a.*"}, "two files would be the table a"),
        ({"A.csv": "n\n1\n", "a.csv": "n\n1\n"}, {"path": "*.csv"}, "can't be told from that of A.csv"),
        ({"_dlt_x.csv": "n\n1\n"}, {"path": "*.csv"}, "can't be told from one of dlt's own"),
        (
            {"a.csv": "n\n1\n", "b.json": "[]"},
            {"tables": {"t": "[ab].*"}},
            "the table t can't be made of both a.csv and b.json",
        ),
        ({"in/notes.docx": "x"}, {"path": "in/*"}, r"in/notes\.docx: its suffix says nothing of its format"),
        ({"a.csv": "n\n1\n"}, {"path": "a.csv", "tables": {"t": "a.csv"}}, "needs either path"),
        ({"a.csv": "n\n1\n"}, {"path": "a.csv", "encoding": "hex"}, "is no text encoding"),
        ({"a.csv": "n\n1\n"}, {"path": "a.csv", "delimiter": "||"}, "delimiter"),
        ({"a.csv": "Ab,ab\n1,2\n"}, {"path": "a.csv"}, r"a\.csv:1: the columns 'Ab' and 'ab' can't be told apart"),
    ],
)
def test_sets_of_files_that_make_no_tables(
    read: Reading, tmp_path: Path, files: dict[str, str], config: dict[str, Any], what: str
) -> None:
    for name, content in files.items():
        write(tmp_path, name, content)
    with pytest.raises((SourceError, ConfigError), match=what):
        read(**config)


def test_files_outside_the_folder_of_the_source(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "secret/s.csv", "n\n1\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/s.csv").symlink_to(tmp_path / "secret/s.csv")
    with pytest.raises(SourceError, match="a symbolic link leads out of the folder of the source"):
        read(path="in/*.csv")
    (tmp_path / "linked").symlink_to(tmp_path / "secret")
    assert read(path="linked/*.csv").rows == {"s": [{"n": 1}]}  # the folder itself may be a link: the config names it
    (tmp_path / "in/s.csv").unlink()
    os.mkfifo(tmp_path / "in/s.csv")
    with pytest.raises(SourceError, match="not a regular file"):
        read(path="in/*.csv")


# Cells of text files

UNIVERSAL = "名前,città,λ\n値,à;b,“x”\n"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_unicode_and_byte_order_marks(read: Reading, tmp_path: Path, codec: str, eol: str) -> None:
    mark = "" if codec in ("utf-8", "utf-8-sig", "utf-16", "utf-32") else "\ufeff"
    write(tmp_path, "t.csv", (mark + UNIVERSAL.replace("\n", eol)).encode(codec))
    brought = read(path="t.csv")
    assert brought.rows["t"] == [{"名前": "値", "città": "à;b", "λ": "“x”"}]
    assert brought.notes == []


LETTERS = {
    "cp1252": "name,city\nLöst,Köln\nÉcole,São Paulo\nl’été,«Málaga» 5 €\n",
    "latin-1": "name,city\nMuñoz,Århus\n",
    "cp932": "名前,都市\n田中太郎,東京都\n鈴木花子,大阪府\n",
    "euc_jp": "名前,都市\n田中太郎,東京都\n鈴木花子,大阪府\n",
    "gb18030": "姓名,城市\n张伟,北京市\n王芳,上海市\n",
    "big5": "姓名,城市\n陳大文,臺北市\n林小美,高雄市\n",
    "euc_kr": "이름,도시\n김철수,서울\n이영희,부산\n",
}


@pytest.mark.parametrize("codec", LETTERS)
def test_a_guess_is_right_and_not_silent(read: Reading, tmp_path: Path, codec: str) -> None:
    write(tmp_path, "t.csv", LETTERS[codec].encode(codec))
    expected = list(csv.DictReader(io.StringIO(LETTERS[codec])))
    brought = read(path="t.csv")
    assert brought.rows["t"] == expected
    (note,) = brought.notes
    assert "not UTF-8; read as" in note and note.startswith("t.csv:")
    declared = read(path="t.csv", encoding=codec)
    assert declared.rows["t"] == expected and declared.notes == []


def test_a_guess_stands_with_the_load(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", LETTERS["cp1252"].encode("cp1252"))
    result = load_source(make_project(feed={"type": "files", "path": "t.csv"}), "feed")
    assert result.notes == "t.csv:2: not UTF-8; read as cp1252, which is a guess: set encoding to be sure"
    assert result.metadata()["notes"] == result.notes


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1250", "nazwa,miasto\nŁukasz,Łódź\nŻaneta,Gdańsk\n"),
        ("cp1250", "név,város\nErdős,Győr\n"),
        ("iso8859-2", "jméno,město\nTomáš,Děčín\n"),
        ("cp1251", "имя,город\nИван,Москва\n"),
        ("koi8-r", "имя,город\nИван,Москва\n"),
        ("cp1253", "όνομα,πόλη\nΝίκος,Πάτρα\n"),
        ("cp1254", "ad,şehir\nIşık,Şişli\n"),
        ("cp437", "name,city\nMüller,Köln\n"),
        ("mac_roman", "name,city\nMüller,Köln\n"),
        ("utf-16-le", "name,city\nMüller,Köln\n"),
        ("iso2022_jp", "名前,都市\n田中太郎,東京都\n"),
    ],
)
def test_an_encoding_that_cannot_be_told_is_refused_with_the_place(
    read: Reading, tmp_path: Path, codec: str, text: str
) -> None:
    write(tmp_path, "t.csv", text.encode(codec))
    with pytest.raises(SourceError, match=r"(?s)t\.csv.*set encoding"):
        read(path="t.csv")
    assert read(path="t.csv", encoding=codec).rows["t"] == list(csv.DictReader(io.StringIO(text)))


def test_text_that_is_not_what_was_declared_names_the_line(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", b"n\n" + (b"abc" * 20 + b"\n") * 50_000 + b"\xff\n" + b"abc\n" * 10)
    with pytest.raises(SourceError, match=r"t\.csv:50002: it is not utf-8-sig here\n.*set encoding"):
        read(path="t.csv", encoding="utf-8")


CELLS = 'a,b\n1,"x, ""y""\r\nz"\n2,5" disk\n 3 , x \n'


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (CELLS, [("1", 'x, "y"\r\nz'), ("2", '5" disk'), (" 3 ", " x ")]),
        ("a,b\r\n1,x\n2,y\r3,z\r\n", [(1, "x"), (2, "y"), (3, "z")]),  # line ends of all kinds
        ("a,b\n1,x\x00y\n2,\x00\n", [(1, "x\x00y"), (2, "\x00")]),
        ("a,b\n1,x\n\n2,y\n\n", [(1, "x"), (2, "y")]),
        ('a,b\n1,""\n2,\n', [(1, None), (2, None)]),
        ("a,b\n1,NA\n2,NULL\n3,null\n", [(1, "NA"), (2, "NULL"), (3, "null")]),
        ("a,b", []),
        ("a;b\n1,5;x\n", [("1,5", "x")]),
        ("a|b\n1|x,y;z\n", [(1, "x,y;z")]),
        ("a\tb\n1\tx y,z\n", [(1, "x y,z")]),
        ("'a','b'\n'1','it''s, y'\n", [(1, "it's, y")]),
        ('"a\nx",b\n1,x\n', [(1, "x")]),
        ("a,\n1,2\n", [(1, 2)]),
        ("\ufeffa,b\n1,\ufeffx\n", [(1, "\ufeffx")]),
    ],
)
def test_cells_are_what_stands_in_the_file(read: Reading, tmp_path: Path, content: str, rows: list[tuple[Any, ...]]) -> None:
    write(tmp_path, "t.csv", content)
    brought = read(path="t.csv")
    assert [tuple(row.values()) for row in brought.rows["t"]] == rows
    assert brought.refused == []


def test_names_of_columns(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", 'id, "quoted" ,,x;y\n1,2,3,4\n')
    assert list(read(path="t.csv", delimiter=",").types) == ["t.id", 't."quoted"', "t.column_3", "t.x;y"]
    write(tmp_path, "u.csv", "1,x\n2,y\n")
    assert read(path="u.csv", header=False).rows["u"] == [{"column_1": 1, "column_2": "x"}, {"column_1": 2, "column_2": "y"}]


def test_texts_that_stand_for_no_value(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", "a,b,c\n1,NA,\n\\N,x,\n")
    assert read(path="t.csv", nulls=["NA", "\\N"]).rows["t"] == [
        {"a": 1, "b": None, "c": ""},
        {"a": None, "b": "x", "c": ""},
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", r"t\.csv: the file is empty: it has not even a header"),
        ("\ufeff", r"t\.csv: the file is empty"),
        ("\na,b\n1,2\n", r"t\.csv:1: the first line is blank"),
        ("a,a\n1,2\n", r"t\.csv:1: two columns are called 'a'"),
        ("a,a \n1,2\n", r"t\.csv:1: two columns are called 'a'"),
        ("a\x00b,c\n1,2\n", r"t\.csv:1: a column's name has a NUL character"),
        ('a,b\n1,x\n2,"y\n3,z\n', r"t\.csv:3: a quote is opened here and never closed"),
        ('a,b\n0,x\n1,"x\n' + "2,y\n" * 500_000, r"t\.csv:3: a quote is opened here and never closed"),
        ('a,b\n0,x\n1,"x\n' + f"2,{'y' * 100}\n" * 200_000, r"t\.csv:3: too many lines .* is its quote ever closed"),
        ('a,b\n0,x\n1,"x\n' + "2,y\n" * 20 + '3,"z"\n' + "4,w\n" * 20, r"t\.csv:3: too many lines can't be read: 22"),
        ("a,b,c\n1,2,3\n" + "4\n" * 11, r"t\.csv:3: too many lines can't be read: 11, and 1 good rows; .* 1 cells, not 3"),
        ("a,b\n1\n", r"t\.csv:2: too many lines"),
        ("a,b\n" + "1\n" * 10_002, r"t\.csv:2: too many lines can't be read: 10001"),
        ("a,b;c\n1,2;3\n", r"t\.csv:1: its delimiter can't be told: ',' and ';' fit equally well"),
        ("a\x00\x00\x00,b\n", r"t\.csv: it is full of NUL characters"),
        ("x" * 5_000_000, r"t\.csv: it has a line of more than 3,000,000 bytes"),
    ],
    ids=range(16),
)
def test_a_file_of_broken_structure_is_refused_with_its_line(
    read: Reading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, what: str
) -> None:
    monkeypatch.setattr(encoding, "_MAX_LINE", 3_000_000)
    write(tmp_path, "t.csv", content)
    with pytest.raises(SourceError, match=what):
        read(path="t.csv")


LONG = "l" * 100


def test_bad_rows_are_reported_with_their_line_and_the_rest_is_read(read: Reading, tmp_path: Path) -> None:
    write(
        tmp_path,
        "in/t.csv",
        'a,b\n1,"x\ny"\n\n2\n3,"z\r\nz",4\n5,"q"q\n6,"a\nb"c\n7,w\n' + f'8,"{LONG}\nl"\n' * 50_000 + "8,9,10\n",
    )
    brought = read(path="in/*.csv")
    assert len(brought.rows["t"]) == 50_002
    assert brought.refused == [
        ("malformed_row", "in/t.csv:5", "t", "2"),
        ("malformed_row", "in/t.csv:6", "t", '3,"z\r\nz",4'),
        ("malformed_row", "in/t.csv:8", "t", '5,"q"q'),
        ("malformed_row", "in/t.csv:9", "t", '6,"a\nb"c'),
        ("malformed_row", "in/t.csv:100012", "t", "8,9,10"),
    ]


def test_rows_that_leave_out_cells_at_their_end(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", "a,b,c\n1\n\n2,x\n3,y,z\n4,y,z,!\n")
    brought = read(path="t.csv", short_rows="fill", nulls=[])
    assert [tuple(row.values()) for row in brought.rows["t"]] == [(1, None, None), (2, "x", None), (3, "y", "z")]
    assert [item[1] for item in brought.refused] == ["t.csv:6"]


def test_rows_that_leave_out_cells_as_a_habit(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.csv", "a,b,c,d\n" + "1,x,y\n2,x,y,z\n" * 11 + '3,"l\nl"\n')
    with pytest.raises(
        SourceError, match=r"t\.csv:2: too many lines"
    ):  # of a row that broke in two, one part is as short as this
        read(path="t.csv")
    write(tmp_path, "t.csv", "a,b,c,d\n" + '1,x,"""l""\nl"\n2,x,y,z\n' * 20_000 + "3,x\n")
    brought = read(path="t.csv")
    assert len(brought.rows["t"]) == 40_000
    assert brought.rows["t"][0] == {"a": 1, "b": "x", "c": '"l"\nl', "d": None}
    assert [item[1] for item in brought.refused] == ["t.csv:60002"] and len(brought.notes) == 1


def test_large_cells(read: Reading, tmp_path: Path) -> None:
    several_lines = "y,\n" * 500_000
    write(tmp_path, "t.csv", f'a,b\n1,{"x" * 1_000_000}\n2,"{several_lines}"\n3,{"z" * 17_000_000}\n')
    brought = read(path="t.csv")
    assert [len(row["b"]) for row in brought.rows["t"]] == [1_000_000, 1_500_000]
    ((_, location, _, payload),) = brought.refused
    assert location == "t.csv:500004" and len(payload) == 2_000


# Records

RECORDS = [
    {"id": "00123", "n": 411351, "price": Decimal("1.50"), "ok": True, "none": None, "items": [{"sku": "a"}, {"sku": "b"}]},
    {"id": 7, "n": 123456789012345678901234567890, "ship": {"city": "Łódź"}, "tags": ["x", 1]},
]
JSON_TEXT = '[{"id": "00123", "n": 411351, "price": 1.50, "ok": true, "none": null, "items": [{"sku": "a"}, {"sku": "b"}]},\n'
JSON_TEXT += '{"id": 7, "n": 123456789012345678901234567890, "ship": {"city": "Łódź"}, "tags": ["x", 1]}]'
YAML_TEXT = """
- {id: "00123", n: 411351, price: 1.50, ok: true, none: null, items: [&a {sku: a}, {sku: b}]}
- id: 7
  n: 123456789012345678901234567890
  ship: {city: Łódź}
  tags: [x, 1]
"""
LANDED = [
    {"id": '"00123"', "n": "411351", "price": "1.50", "ok": "true", "none": None, "items": [{"sku": '"a"'}, {"sku": '"b"'}]},
    {"id": "7", "n": "123456789012345678901234567890", "ship": {"city": '"Łódź"'}, "tags": ['"x"', "1"]},
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.json", JSON_TEXT),
        ("t.json", f'{{"count": 2, "data": {JSON_TEXT}}}'),
        ("t.json", "\ufeff" + JSON_TEXT),
        ("t.jsonl", JSON_TEXT[1:-1].replace(",\n", "\n\n")),
        ("t.ndjson", JSON_TEXT[1:-1].replace(",\n", "\r\n") + "\r\n"),
        ("t.yaml", YAML_TEXT),
        ("t.yml", "records:" + YAML_TEXT),
    ],
)
def test_records_keep_what_they_say(read: Reading, tmp_path: Path, name: str, content: str) -> None:
    write(tmp_path, name, content)
    brought = read(path=name)
    assert brought.rows["t"] == LANDED
    assert set(brought.types) >= {"t.id", "t.ship.city", "t.items.sku", "t.tags.value"}


def test_packed_json_lines(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "t.jsonl.gz", gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    assert read(path="*.gz").rows["t"] == [{"a": "1"}, {"a": "2"}]


def test_yaml_scalars_stay_what_they_are(read: Reading, tmp_path: Path) -> None:
    text = "- {a: no, b: 12:30, c: 007, d: 2024-01-01, e: 1_000, f: 0x1F, g: 1e5, h: +5, i: ~, j: .inf, k: 'true'}\n"
    write(tmp_path, "t.yaml", text)
    assert read(path="t.yaml").rows["t"] == [
        {"a": '"no"', "b": '"12:30"', "c": '"007"', "d": '"2024-01-01"', "e": '"1_000"', "f": '"0x1F"'}
        | {"g": "1E+5", "h": '"+5"', "i": None, "j": '".inf"', "k": '"true"'}
    ]


def test_bad_lines_and_items_are_reported(read: Reading, tmp_path: Path) -> None:
    write(tmp_path, "in/t.jsonl", '{"a": 1}\n{"a" 2}\n3\n{"a": 4, "a": 5}\n{"a": NaN}\n{"a": 6}\n{"a": ' + "[" * 100_000 + "\n")
    write(tmp_path, "in/u.json", '[{"a": 1}, 2, {"a": 3}]')
    brought = read(path="in/*")
    assert brought.rows == {"t": [{"a": "1"}, {"a": "6"}], "u": [{"a": "1"}, {"a": "3"}]}
    assert [item[:3] for item in brought.refused] == [
        ("malformed_json", "in/t.jsonl:2", "t"),
        ("not_a_record", "in/t.jsonl:3", "t"),
        ("malformed_json", "in/t.jsonl:4", "t"),
        ("malformed_json", "in/t.jsonl:5", "t"),
        ("malformed_json", "in/t.jsonl:7", "t"),
        ("not_a_record", "in/u.json record 1", "u"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("t.json", '[{"a": 1},\n {"b" 2}]', r"t\.json:2: not valid JSON"),
        ("t.json", '[{"a": 1, "b": 2, "a": 3}]', "an object has the name 'a' twice"),
        ("t.json", '{"a": 1}', "an object with no list"),
        ("t.json", '{"a": [], "b": []}', "several lists: 'a', 'b'"),
        ("t.json", "3", "no list of records"),
        ("t.json", "", "not valid JSON"),
        ("t.json", "[" * 200_000, "nested too deeply"),
        ("t.json", "[1e5, Infinity]", "Infinity is no JSON number"),
        ("t.jsonl", "x\n" * 11 + "{}\n", r"t\.jsonl:1: too many lines can't be read: 11"),
        ("t.yaml", "- a: 1\n  b: 2\n  a: 3\n", r"t\.yaml:3: not valid YAML: the name 'a' stands twice"),
        ("t.yaml", "- &a {x: 1}\n- {<<: *a}\n", r"t\.yaml:2: not valid YAML: merge keys"),
        ("t.yaml", "- {[1]: 2}\n", r"t\.yaml:1: not valid YAML: a key is no plain value"),
        ("t.yaml", "- !!python/object/apply:os.getcwd []", r"t\.yaml:1: not valid YAML"),
        ("t.yaml", "- &a {b: *a}", "expands to far more than its size"),
        ("t.yaml", "- " + "[" * 100_000, "nest"),
        ("t.yaml", "- " + "[" * 101, "nested too deeply"),
        ("t.yaml", "- a: [1, 2\n- c: 3\n", r"t\.yaml:2: not valid YAML"),
        ("t.yaml", "", "no list of records"),
        ("t.parquet", "PAR1", r"t\.parquet: it can't be read as Parquet"),
    ],
)
def test_documents_that_hold_no_records(read: Reading, tmp_path: Path, name: str, content: str, what: str) -> None:
    write(tmp_path, name, content)
    with pytest.raises(SourceError, match=what):
        read(path=name)


def test_names_that_land_as_one_are_refused(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "t.jsonl", '{"Aa": 1, "AA": 2}\n')
    with pytest.raises(SourceError, match="can't be told"):
        load_source(make_project(feed={"type": "files", "path": "t.jsonl"}), "feed")


def test_aliases_that_explode_are_refused(read: Reading, tmp_path: Path) -> None:
    lines = ["- a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    write(tmp_path, "t.yaml", "\n".join(lines))
    with pytest.raises(SourceError, match="expands to far more than its size"):
        read(path="t.yaml")


# Parquet


def test_parquet_keeps_its_types_and_rounds_nothing(read: Reading, tmp_path: Path) -> None:
    import datetime as dt

    stamp = pa.array([1_700_000_000_000_000_001, None], pa.timestamp("ns"))
    round_stamp = pa.array([1_700_000_000_000_000_000, None], pa.timestamp("ns"))
    columns = {
        "id": pa.array([2**63, 1], pa.uint64()), "amount": pa.array([Decimal("1.50"), None]),
        "fine": stamp, "round": round_stamp,
        "day": pa.array([dt.date(2024, 2, 29), None]), "text": pa.array(["00123", None]).dictionary_encode(),
        "real": pa.array([1.1, None], pa.float32()), "raw": pa.array([b"\x00\xff", None]), "empty": pa.nulls(2),
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    first, second = read(path="t.parquet").rows["t"]
    assert first == {
        "id": Decimal(2**63), "amount": Decimal("1.50"), "fine": "2023-11-14 22:13:20.000000001",
        "round": dt.datetime(2023, 11, 14, 22, 13, 20), "day": dt.date(2024, 2, 29), "text": "00123", "real": 1.1,  # noqa: DTZ001
        "raw": b"\x00\xff", "empty": None,
    }  # fmt: skip
    assert set(second.values()) == {1, None}


def test_nested_parquet_and_files_of_several_schemas(read: Reading, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"a": pa.array([1], pa.int32())}), tmp_path / "in/1.parquet")
    pq.write_table(pa.table({"b": ["x"], "a": pa.array([2**40])}), tmp_path / "in/2.parquet")
    assert read(tables={"t": "in/*"}).rows["t"] == [{"a": 1, "b": None}, {"a": 2**40, "b": "x"}]
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "in/3.parquet")
    with pytest.raises(SourceError, match=r"in/3\.parquet: its columns don't go with those of in/1\.parquet"):
        read(tables={"t": "in/*"})
    pq.write_table(pa.table({"id": [1], "items": [[{"sku": "a"}]]}), tmp_path / "n.parquet")
    assert read(path="n.parquet").rows["n"] == [{"id": "1", "items": [{"sku": '"a"'}]}]


# What decides whether a source is read again


def test_the_fingerprint_is_of_bytes_names_and_config(make_project: Make, tmp_path: Path) -> None:
    def fingerprint(**config: Any) -> str:
        project = make_project(feed={"type": "files", **config})
        return FileReader(project, "feed", project.config.sources["feed"]).fingerprint()

    file = write(tmp_path, "in/a.csv", "n\n1\n")
    base = fingerprint(path="in/*.csv")
    file.touch()
    assert fingerprint(path="in/*.csv") == base
    assert fingerprint(path="in/*.csv", valid_time="always") == base
    others = [
        fingerprint(path="in/*.csv", header=False), fingerprint(path="in/*.csv", nulls=["1"]),
        fingerprint(path="in/*.csv", encoding="latin-1"), fingerprint(tables={"b": "in/*.csv"}),
    ]  # fmt: skip
    write(tmp_path, "in/b.csv", "n\n1\n")
    others.append(fingerprint(path="in/*.csv"))
    write(tmp_path, "in/a.csv", "n\n2\n")
    others.append(fingerprint(path="in/*.csv"))
    assert len({base, *others}) == 7


def test_a_file_that_changes_while_it_is_read_is_refused(
    make_project: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, "t.csv", "n\n1\n")
    project = make_project(feed={"type": "files", "path": "t.csv"})
    from stratagraph.sources.read.formats.cells import CellStore

    types = CellStore.types

    def grow(store: CellStore) -> Any:
        with file.open("a") as stream:
            stream.write("2\n")
        return types(store)

    monkeypatch.setattr(CellStore, "types", grow)
    with pytest.raises(SourceError, match="changed while it was read"):
        load_source(project, "feed")
    monkeypatch.undo()
    assert load_source(project, "feed").rows == 2
    assert not list((project.data_dir / "files").glob("feed/*"))  # nothing is left behind


# To the statements


def test_files_become_statements(make_project: Make, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path, "in/people.csv", "id,name,zip,born,score\n1,Ada,00123,1815-12-10,1.5\n2,B\x00n,99999,,\n3,bad\n")
    write(tmp_path, "in/posts.jsonl", '{"id": 1, "person": 1, "tags": ["x", "y"]}\n{"id": 2\n')
    mapping = {"people": {"label": "{name}"}, "posts": {"label": "post {id}"}}
    load = {"people": {"key": ["id"]}, "posts": {"key": ["id"]}}
    project = make_project(
        feed={"type": "files", "path": "in/*", "mapping": mapping, "load": load, "keys": ["posts(person) -> people(id)"]}
    )
    result = load_source(project, "feed")
    assert result.changed and result.refused == 2
    with landing(project) as connection:
        assert connection.execute("FROM feed.people").fetchone()[1:3] == ("Ada", "00123")  # type: ignore[index]
        kinds = connection.execute("SELECT column_name, type FROM stratagraph.columns WHERE table_name = 'people'").fetchall()
    assert dict(kinds) == {"id": "integer", "name": "text", "zip": "text", "born": "date", "score": "decimal"}
    stage_rows(project)
    people = {row["subject"]: row["value"] for row in statements(project, "kind = 'node'")}
    ada = next(value for subject, value in people.items() if "people/id=1" in subject)
    assert ada["label"] == "Ada"
    assert {key.rpartition("#")[2]: value for key, value in ada["properties"].items()} == {
        "id": 1, "name": "Ada", "zip": "00123", "born": "1815-12-10", "score": 1.5,
    }  # fmt: skip
    assert any(value["label"] == "B\x00n" for value in people.values())
    assert ("feed/posts/id=1", "feed/people/id=1") in {
        (row["subject"], row["object"]) for row in statements(project, "kind = 'edge'")
    }
    assert sorted((reason, location) for reason, location, _ in quarantine(project)) == [
        ("malformed_json", "in/posts.jsonl:2"),
        ("malformed_row", "in/people.csv:4"),
    ]
    assert not load_source(project, "feed").changed
    clock.forward()
    write(tmp_path, "in/people.csv", "id,name,zip,born,score\n1,Ada,00123,1815-12-10,1.5\n2,Ben,99999,,\n3,Cy,1,,\n")
    again = load_source(project, "feed")
    assert (again.changed, again.tables, again.rows, again.refused) == (True, 3, 6, 1)  # posts.tags is a table of its own
    stage_rows(project)
    labels = {row["value"]["label"] for row in statements(project, "kind = 'node' AND subject LIKE '%feed/people/%'")}
    assert labels >= {"Ada", "B\x00n", "Ben", "Cy"}


# Real files


@pytest.mark.parametrize("wanted", ["[HM]*.csv", pytest.param("*.csv", marks=pytest.mark.slow)])
def test_lahman_cell_by_cell(read: Reading, tmp_path: Path, wanted: str) -> None:
    folder = SHARED / "lahman"
    if not folder.is_dir():
        pytest.skip("../shared/data/lahman is absent")
    (tmp_path / "in").mkdir()
    for file in folder.glob(wanted):
        (tmp_path / "in" / file.name).write_bytes(file.read_bytes())
    brought = read(path="in/*.csv")
    assert len(brought.rows) in (4, 14) and brought.refused == [] and brought.notes == []
    for file in folder.glob(wanted):
        with file.open(newline="", encoding="utf-8") as stream:
            expected = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(stream)]
        assert [as_text(row) for row in brought.rows[file.stem]] == expected
    types = brought.types
    assert (types["HomeGames.span.first"], types["HomeGames.games"], types["Managers.playerID"]) == ("date", "integer", "text")


def test_the_history_of_currency_codes(read: Reading, tmp_path: Path) -> None:
    folder = SHARED / "currency_codes_history/codes-all"
    if not folder.is_dir():
        pytest.skip("../shared/data/currency_codes_history is absent")
    for file in folder.glob("*.csv"):
        write(tmp_path, f"in/{file.name}", file.read_bytes())
    brought = read(path="in/*.csv")
    assert len(brought.rows) == 16 and brought.refused == []
    for file in folder.glob("*.csv"):
        with file.open(newline="", encoding="utf-8") as stream:
            expected = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(stream)]
        assert [as_text(row) for row in brought.rows[file.stem]] == expected
    assert sum(not rows for rows in brought.rows.values()) == 1
    assert {kind for name, kind in brought.types.items() if name.endswith(("Numeric Code", "Numeric_Code"))} <= {"text"}


def test_a_gtfs_feed(read: Reading, tmp_path: Path) -> None:
    feed = SHARED / "gtfs_sample/sample-feed.zip"
    if not feed.is_file():
        pytest.skip("../shared/data/gtfs_sample is absent")
    (tmp_path / "feed.zip").write_bytes(feed.read_bytes())
    with pytest.raises(SourceError, match=r"(?s)feed\.zip/stop_times\.txt:17: .*short_rows: fill"):
        read(path="feed.zip/stop_times.txt", short_rows="refuse")
    brought = read(path="feed.zip/*.txt")
    assert brought.notes == [
        "feed.zip/stop_times.txt: rows leave out cells at their end, which are read as no value; set short_rows to be sure"
    ]
    assert {table: len(rows) for table, rows in brought.rows.items()} == {
        "agency": 1, "calendar": 2, "calendar_dates": 1, "fare_attributes": 2, "fare_rules": 4, "frequencies": 11, "routes": 5,
        "shapes": 0, "stop_times": 28, "stops": 9, "trips": 11,
    }  # fmt: skip
    assert brought.rows["stop_times"][0]["arrival_time"] == "6:00:00"
    assert brought.types["stops.stop_lat"] == "decimal"
    assert "shapes.shape_id" in brought.types  # a table without rows has its columns


def as_text(row: dict[str, Any]) -> dict[str, str | None]:
    """Typed cells in the spelling that they must have had."""
    return {name: None if cell is None else str(cell) for name, cell in row.items()}


@pytest.mark.parametrize(
    ("pattern", "on_disk"),
    [("in/*.csv", "in/*.csv"), ("feed.zip/*.txt", "feed.zip"), ("in/**/*.ZIP/a/b.csv", "in/**/*.ZIP"), ("all.zip", "all.zip")],
)
def test_what_a_sensor_watches(pattern: str, on_disk: str) -> None:
    assert inputs.file_pattern(pattern) == on_disk
