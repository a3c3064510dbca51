"""The records of a version file: each format, plain and compressed, and what is refused with file and line."""

from __future__ import annotations

import gzip
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from pydantic import ValidationError

from stratagraph.config.sources import RecordedSource, RecordRoot
from stratagraph.errors import SourceError
from stratagraph.sources.recorded.files import Format, Reading, format_of, records_in
from stratagraph.sources.recorded.load import Read, read_versions
from stratagraph.sources.recorded.series import Version

RECORDS: list[dict[str, Any]] = [{"id": "00123", "name": 'Låst, "A"\nB'}, {"id": "7", "name": None}]


def parquet(records: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), sink)
    return sink.getvalue()


FILES = {
    "v.yaml": yaml.safe_dump(RECORDS, allow_unicode=True).encode(),
    "v.yml": json.dumps(RECORDS).encode(),
    "v.json": b"\xef\xbb\xbf" + json.dumps(RECORDS, ensure_ascii=False).encode(),
    "v.jsonl": "\r\n".join(json.dumps(record) for record in RECORDS).encode() + b"\n\n",
    "v.csv": 'id,name,\r\n00123,"Låst, ""A""\nB",\r\n\r\n7,\r\n'.encode(),
    "v.tsv": '\ufeffid\tname\n00123\t"Låst, ""A""\nB"\n7\n'.encode(),
    "v.parquet": parquet(RECORDS),
}


def read(data: bytes, name: str, form: Format | None = None, reading: Reading | None = None) -> list[dict[Any, Any]]:
    return list(records_in(io.BytesIO(data), name, form or Format(), name, reading))


@pytest.mark.parametrize("name", FILES)
def test_each_format_says_the_same_plain_and_compressed(name: str, tmp_path: Path) -> None:
    assert read(FILES[name], name) == RECORDS
    assert read(gzip.compress(FILES[name], mtime=0), f"{name.upper()}.GZ") == RECORDS
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(FILES[name], mtime=0))
    with path.open("rb") as file:
        assert list(records_in(file, path.name, Format(), name)) == RECORDS
    assert read(FILES[name], "v.txt", Format(name=format_of(name))) == RECORDS


@pytest.mark.parametrize(
    ("name", "data", "form", "records"),
    [
        ("v.csv", b"", Format(), []),
        ("v.csv", b"\n\na,b\n", Format(), []),
        ("v.csv", b"a;b\n1;-\n", Format(delimiter=";", nulls=frozenset({"", "-"})), [{"a": "1", "b": None}]),
        ("v.csv", "a\nLåst\n".encode("latin-1"), Format(encoding="latin-1"), [{"a": "Låst"}]),
        ("v.csv", "a\nLåst\n".encode("utf-16"), Format(encoding="utf-16"), [{"a": "Låst"}]),
        ("v.jsonl", b"", Format(), []),
        ("v.yaml", b"{}", Format(root=RecordRoot(key="k")), []),
        ("v.yaml", b"x: {a: 1}\ny: {a: 2}", Format(root=RecordRoot(key="k")), [{"k": "x", "a": 1}, {"k": "y", "a": 2}]),
        (
            "v.json", b'{"x": [{"a": 1}], "y": []}', Format(root=RecordRoot(key="k", each="items")),
            [{"k": "x", "items": [{"a": 1}]}, {"k": "y", "items": []}],
        ),
    ],
)  # fmt: skip
def test_what_the_config_says_about_the_files(name: str, data: bytes, form: Format, records: list[dict[str, Any]]) -> None:
    assert read(data, name, form) == records


@pytest.mark.parametrize(
    ("name", "data", "form", "what"),
    [
        ("v.txt", b"[]", Format(), "suffix of the file says no format"),
        ("v.csv", b"a,b\n1,2\n1,2,3\n", Format(), r"v\.csv:3: the row has 3 cells and the header 2"),
        ("v.csv", b"a,\n1,2\n", Format(), r"v\.csv:2: a cell stands in a column without a heading"),
        ("v.csv", b"a,a\n", Format(), r"v\.csv:1: two columns are called 'a'"),
        ("v.csv", b'a\n"x\n', Format(), r"v\.csv:2: not valid CSV"),
        ("v.csv", b"a\nb\n\xff\n", Format(), r"v\.csv:\d or later: the version file is not UTF-8"),
        ("v.csv", b"a\n1\n", Format(encoding="utf-99"), "unknown encoding"),
        ("v.jsonl", b'{"a": 1}\n{"a" 2}\n', Format(), r"v\.jsonl:2: not valid JSON"),
        ("v.jsonl", b'{"a": 1}\n[2]\n', Format(), r"v\.jsonl:2: the line is not a record"),
        ("v.parquet", b"PAR1 it is not", Format(), r"v\.parquet: not valid Parquet"),
        ("v.yaml.gz", b"[]", Format(), r"v\.yaml\.gz: the version file is no whole gzip file"),
        ("v.json.gz", gzip.compress(b"[" + b" " * 9999 + b"]", mtime=0)[:-9], Format(), "no whole gzip file"),
        ("v.yaml", b"a: {b: 1}", Format(), "is not a list of records"),
        ("v.yaml", b"a: [1]", Format(root=RecordRoot(key="k")), "the member 'a' is no object"),
        ("v.yaml", b"a: {k: 1}", Format(root=RecordRoot(key="k")), "the member 'a' has a field 'k' of its own"),
        ("v.yaml", b"[]", Format(root=RecordRoot(key="k")), "is not an object"),
        ("v.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", Format(), "a pointer of Git LFS"),
        ("v.csv", b"a,b\n1,2\n", Format(rename={"b": "a"}), "two fields that are called 'a'"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(name: str, data: bytes, form: Format, what: str) -> None:
    with pytest.raises(SourceError, match=what):
        read(data, name, form)


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagraph.sources.recorded.files._LINE", 1000)
    monkeypatch.setattr("stratagraph.sources.recorded.files._DOCUMENT", 1000)
    for name in ("v.csv.gz", "v.jsonl.gz"):
        with pytest.raises(SourceError, match=r":2: the line is longer"):
            read(gzip.compress(b'{"a": 1}\n"' + b"x" * 5000 + b'"\n', mtime=0), name)
    with pytest.raises(SourceError, match="the version file is larger"):
        read(gzip.compress(b'["' + b"x" * 5000 + b'"]', mtime=0), "v.json.gz")


def test_headings_that_drift_are_called_by_one_name() -> None:
    form = Format(rename={"Withdrawal Date": "WithdrawalDate", "WithdrawalInterval": "WithdrawalDate"})
    reading = Reading()
    old = read(b"Entity,Withdrawal Date\nA,2002\n", "v.csv", form, reading)
    assert old == read(b"Entity,WithdrawalDate\nA,2002\n", "v.csv", form) == [{"Entity": "A", "WithdrawalDate": "2002"}]
    assert reading.renamed == {"Withdrawal Date": "WithdrawalDate"}
    both = read(b"WithdrawalInterval,WithdrawalDate\n,2002\n2003,\n", "v.csv", form)
    assert both == [{"WithdrawalDate": "2002"}, {"WithdrawalDate": "2003"}]


def test_versions_are_read_one_after_another() -> None:
    """No version is opened before all of the one before was handed over: one version is in memory at a time."""
    events: list[str] = []

    def version(name: str) -> Version:
        def opened() -> BinaryIO:
            events.append(f"open {name}")
            return io.BytesIO(b"id\n" + b"1\n" * 2500)

        return Version(name, datetime(2024, 1, 1, tzinfo=UTC), name, opened, lambda: name)

    reads: dict[str, Read] = {}
    for chunk in read_versions([version("a.csv"), version("b.csv")], Format(), reads):
        events.append(f"{len(chunk)} of {chunk[0]['version_file']}")
    whole = ["1000", "1000", "500"]
    assert events == [step for name in ("a.csv", "b.csv") for step in (f"open {name}", *(f"{n} of {name}" for n in whole))]
    assert {name: (read.records, read.items) for name, read in reads.items()} == {"a.csv": (2500, 0), "b.csv": (2500, 0)}


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({}, "needs one of recorded_at"),
        ({"recorded_at": "%Y", "git": {"repository": ".", "path": "a.csv"}}, "needs one of recorded_at"),
        ({"git": {"repository": ".", "path": "a.csv"}}, "needs path, a glob of version files, or git; not both"),
        ({"recorded_at": "%Y", "keys": []}, "needs keys, the fields that tell records apart, once"),
        ({"recorded_at": "%Y", "mapping": {"keys": ["b"]}}, "needs keys, the fields that tell records apart, once"),
        ({"recorded_at": "%Y", "keys": [[]]}, "at least 1 item"),
        ({"recorded_at": "%Y", "mapping": {"closed": True}}, "closed is read only with valid_to"),
        ({"recorded_at": "%Y", "mapping": {"time_format": "%Y"}}, "time_format is read only with"),
        ({"recorded_at": "%Y", "mapping": {"valid_to": "x", "time_format": "%d %U %Y"}}, "has %U; allowed"),
    ],
)
def test_a_config_that_cannot_be_meant(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ValidationError, match=what):
        RecordedSource.model_validate({"type": "recorded", "path": "*.csv", "keys": ["a"]} | given)
