"""Reads the records of a file: YAML, JSON, JSONL, CSV, TSV or Parquet, each also compressed with gzip.

Which file, and what a record means, is not known here. Lines and rows are read one after another; a YAML or JSON file is one
document and is read whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from stratagraph.config.sources import RecordedSource, RecordRoot
from stratagraph.errors import SourceError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SUFFIXES = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv",
    ".tab": "tsv", ".parquet": "parquet",
}  # fmt: skip
_DOCUMENT = 512 * 2**20  # bytes of a YAML or JSON file, which has to be read whole
_LINE = 64 * 2**20  # characters of a line; a compressed file may promise any number
_LARGE_FILE = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class Format:
    """How the files of a source are to be read; the default is by suffix, in UTF-8."""

    name: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    nulls: frozenset[str] = frozenset({""})
    root: RecordRoot | None = None
    rename: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, config: RecordedSource) -> Format:
        return cls(config.format, config.encoding, config.delimiter, frozenset(config.nulls), config.root, config.rename)


@dataclass
class Reading:
    """What reading finds out: the fields that were renamed (as it stands -> its name), and the size of a whole document."""

    renamed: dict[str, str] = field(default_factory=dict)
    size: int | None = None


def records_in(file: BinaryIO, name: str, form: Format, where: str, reading: Reading | None = None) -> Iterator[dict[Any, Any]]:
    """The records of an open file; its name tells its format."""
    reading = reading or Reading()
    kind = form.name or format_of(name)
    if kind is None:
        raise SourceError("the suffix of the file says no format", where=where, hint="name it in the config as `format`")
    with _failures(where), _unpacked(file, name, where) as plain:
        for record in _records(plain, form, kind, where, reading):
            yield _renamed(record, form.rename, where, reading.renamed) if form.rename else record


def format_of(name: str) -> str | None:
    """The format that a file's name tells."""
    path = Path(name.lower())
    return _SUFFIXES.get(Path(path.stem).suffix if path.suffix == ".gz" else path.suffix)


@contextmanager
def _failures(where: str) -> Iterator[None]:
    try:
        yield
    except UnicodeError as error:
        raise SourceError(f"the version file is not {getattr(error, 'encoding', 'text')}", where=where) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(f"the version file is no whole gzip file: {error}", where=where) from error
    except (OSError, RecursionError, ValueError, LookupError) as error:
        raise SourceError(f"the version file cannot be read: {error}", where=where) from error


@contextmanager
def _unpacked(file: BinaryIO, name: str, where: str) -> Iterator[BinaryIO]:
    if file.read(len(_LARGE_FILE)) == _LARGE_FILE:
        raise SourceError("the version file is a pointer of Git LFS, not the file", where=where, hint="git lfs pull")
    file.seek(0)
    if name.lower().endswith(".gz"):
        with gzip.open(file) as plain:
            yield plain  # type: ignore[misc]
    else:
        yield file


def _records(file: BinaryIO, form: Format, kind: str, where: str, reading: Reading) -> Iterator[dict[Any, Any]]:
    match kind:
        case "csv" | "tsv":
            return _rows(file, form, kind, where)
        case "jsonl":
            return _lines_of_json(file, form, where)
        case "parquet":
            return _parquet(file, where)
        case _:
            return _members(_document(file, form, kind, where, reading), form.root, where)


def _members(document: Any, root: RecordRoot | None, where: str) -> Iterator[dict[Any, Any]]:
    """The records of a document: the items of a list, or the members of an object where the config says so."""
    if root is None:
        if not isinstance(document, list) or not all(isinstance(record, dict) for record in document):
            raise SourceError(
                "the version file is not a list of records", where=where, hint="where it is an object, say so with `root`"
            )
        yield from document
        return
    if not isinstance(document, dict):
        raise SourceError("the version file is not an object, as `root` says", where=where)
    for name, member in document.items():
        if isinstance(member, dict):
            if member.get(root.key, name) != name:
                raise SourceError(
                    f"the member {name!r} has a field {root.key!r} of its own", where=where, hint="choose another key"
                )
            yield {root.key: name, **member}
        elif root.each is not None:
            yield {root.key: name, root.each: member}
        else:
            raise SourceError(
                f"the member {name!r} is no object", where=where, hint="name the field for what it is, with `root.each`"
            )


def _document(file: BinaryIO, form: Format, kind: str, where: str, reading: Reading) -> Any:
    data = file.read(_DOCUMENT + 1)
    reading.size = len(data)
    if len(data) > _DOCUMENT:
        raise SourceError(f"the version file is larger than {_DOCUMENT >> 20} MB", where=where, hint="write it as JSONL")
    try:
        text = data.decode(_codec(form.encoding))
        return json.loads(text) if kind == "json" else yaml.load(text, Loader=_Loader)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"the version file is not {form.encoding.upper()}", where=f"{where}:{line}") from error
    except json.JSONDecodeError as error:
        raise SourceError(f"not valid JSON: {error.msg}", where=f"{where}:{error.lineno}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        raise SourceError(f"not valid YAML: {what}", where=f"{where}:{mark.line + 1}" if mark else where) from error


def _codec(encoding: str) -> str:
    return "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding


def _lines(file: BinaryIO, form: Format, where: str) -> Iterator[str]:
    """The lines of a text, ends of lines as they are."""
    text = io.TextIOWrapper(file, encoding=_codec(form.encoding), newline="")
    number = 0
    try:
        while line := text.readline(_LINE):
            number += 1
            if len(line) >= _LINE:
                raise SourceError(f"the line is longer than {_LINE >> 20} million characters", where=f"{where}:{number}")
            yield line
    except UnicodeDecodeError as error:
        raise SourceError(f"the version file is not {form.encoding.upper()}", where=f"{where}:{number + 1} or later") from error
    finally:
        text.detach()


def _lines_of_json(file: BinaryIO, form: Format, where: str) -> Iterator[dict[Any, Any]]:
    for number, line in enumerate(_lines(file, form, where), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise SourceError(f"not valid JSON: {error.msg}", where=f"{where}:{number}") from error
        if not isinstance(record, dict):
            raise SourceError("the line is not a record", where=f"{where}:{number}")
        yield record


def _rows(file: BinaryIO, form: Format, kind: str, where: str) -> Iterator[dict[Any, Any]]:
    delimiter = form.delimiter or ("\t" if kind == "tsv" else ",")
    reader = csv.reader(_lines(file, form, where), delimiter=delimiter, strict=True)
    try:
        header = next((row for row in reader if row), [])
        _check_header(header, where)
        for row in reader:
            if row:
                yield _row(header, row, form.nulls, f"{where}:{reader.line_num}")
    except csv.Error as error:
        raise SourceError(f"not valid CSV: {error}", where=f"{where}:{reader.line_num}") from error


def _check_header(header: list[str], where: str) -> None:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise SourceError(f"two columns are called {twice[0]!r}", where=f"{where}:1")


def _row(header: list[str], row: list[str], nulls: frozenset[str], where: str) -> dict[Any, Any]:
    """A row by column name. A row may end early; cells without a heading must be empty."""
    cells = [None if cell in nulls else cell for cell in row]
    if any(cell is not None for cell in cells[len(header) :]):
        raise SourceError(f"the row has {len(row)} cells and the header {len(header)}", where=where)
    if any(cell is not None and not name for name, cell in zip(header, cells, strict=False)):
        raise SourceError("a cell stands in a column without a heading", where=where)
    cells += [None] * (len(header) - len(cells))
    return {name: cell for name, cell in zip(header, cells, strict=False) if name}


def _parquet(file: BinaryIO, where: str) -> Iterator[dict[Any, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        for batch in pq.ParquetFile(pa.PythonFile(file, mode="r")).iter_batches(batch_size=10_000):
            yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise SourceError(f"not valid Parquet: {error}", where=where) from error


def _renamed(record: dict[Any, Any], rename: dict[str, str], where: str, seen: dict[str, str]) -> dict[Any, Any]:
    """The record with its fields called as the config says."""
    if not rename.keys() & record.keys():
        return record
    named: dict[Any, Any] = {}
    for key, value in record.items():
        name = rename.get(key, key)
        if name != key:
            seen[key] = name
        if named.get(name) is not None and value is not None:
            raise SourceError(
                f"a record has two fields that are called {name!r}", where=where, hint="correct rename in the config"
            )
        if named.get(name) is None:
            named[name] = value
    return named
