"""Reads files of rows or records as a source of tables: which files make which table, and what each format brings.

The formats are in `formats/`; what the rows mean is not known here. Nothing is loaded if one file can't be used: a table
without its rows would look as if they had gone.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagraph.config.sources import FileSource
from stratagraph.errors import SourceError
from stratagraph.locks import alone
from stratagraph.project import Project, fingerprint
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.formats.inputs import Input, find_inputs
from stratagraph.sources.read.reader import Column, Opened, Refused, Since

if TYPE_CHECKING:
    from stratagraph.sources.read.formats.cells import CellType
    from stratagraph.sources.read.formats.delimited import BadRow, DelimitedFile
    from stratagraph.sources.read.formats.records import BadRecord

VERSION = 1  # of how files are read; a change reads them again
_FORMATS = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
_FAMILIES = {"csv": "cells", "tsv": "cells", "parquet": "parquet", "json": "records", "jsonl": "records", "yaml": "records"}
_OWN = {"format", "encoding", "delimiter", "quote", "header", "nulls", "short_rows"}  # what the config says of reading
_PAYLOAD = 2_000
_RECORDS = 500  # handed to dlt at once


@dataclass(frozen=True)
class _Table:
    name: str
    files: tuple[Input, ...]
    family: str


class FileReader:
    """Files as a source of tables (see `reader.Reader`)."""

    def __init__(self, project: Project, name: str, config: FileSource) -> None:
        self._project = project
        self._name = name
        self._config = config

    @property
    def where(self) -> str:
        return f"sources.{self._name}"

    def fingerprint(self) -> str:
        """Of the bytes of all files, and of how they are read."""
        own = self._config.model_dump_json(include=_OWN)
        files = [(table.name, file.path, file.digest()) for table in self._tables() for file in table.files]
        return fingerprint(VERSION, own, files)

    @contextmanager
    def open(self, since: Since) -> Iterator[Opened]:
        """Offer the tables. Files are read when dlt asks for their rows; cells of text wait in a folder of their own."""
        from stratagraph.sources.read.observed import Observer

        tables = self._tables()
        self._refuse_alike(tables)
        folder = self._project.data_dir / "files" / dataset_name(self._name)
        with alone(folder.with_suffix(".lock")):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            try:
                reading = _Reading(self._config, folder)
                # An incremental table is read whole: which of its rows are new is for the loader to say.
                opened = Observer(self.where, Since()).opened([reading.resource(table) for table in tables])
                yield replace(
                    opened,
                    columns=lambda: reading.named(opened.columns()),
                    refused=lambda: tuple(reading.refused),
                    notes=lambda: tuple(reading.notes),
                )
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _tables(self) -> list[_Table]:
        return [self._table(name, files) for name, files in sorted(self.files().items())]

    def files(self) -> dict[str, list[Input]]:
        """Table -> its files, in order of name."""
        key = f"sources.{self._name}"
        if self._config.path is None:
            return {
                name: find_inputs(self._project, f"{key}.tables.{name}", glob) for name, glob in self._config.tables.items()
            }
        found: dict[str, list[Input]] = {}
        for file in find_inputs(self._project, f"{key}.path", self._config.path):
            found.setdefault(file.stem, []).append(file)
        for stem, files in found.items():
            if len(files) > 1:
                raise SourceError(
                    f"two files would be the table {stem}: {files[0].path}, {files[1].path}", where=f"{key}.path",
                    hint="say in `tables`, instead of `path`, which files make which table",
                )  # fmt: skip
        return found

    def _table(self, name: str, files: list[Input]) -> _Table:
        families = {_FAMILIES[_format(file, self._config)]: file for file in files}
        if len(families) > 1:
            one, other = list(families.values())[:2]
            raise SourceError(
                f"the table {name} can't be made of both {one.path} and {other.path}", where=f"sources.{self._name}"
            )
        return _Table(name, tuple(files), next(iter(families)))

    def _refuse_alike(self, tables: Sequence[_Table]) -> None:
        from stratagraph.landing.pipeline import landing_table

        taken: dict[str, _Table] = {}
        for table in tables:
            landed = landing_table(table.name)
            other = taken.setdefault(landed, table)
            if other is not table or landed.startswith("_dlt"):
                what = f"that of {other.files[0].path}" if other is not table else "one of dlt's own"
                raise SourceError(
                    f"the table of {table.files[0].path} can't be told from {what} once loaded", where=f"sources.{self._name}",
                    hint="give it another name in `tables`",
                )  # fmt: skip


def _format(file: Input, config: FileSource) -> str:
    found = config.format or _FORMATS.get(file.suffix)
    if found is None:
        raise SourceError(
            "its suffix says nothing of its format", where=file.path,
            hint=f"set format, or narrow the path; known are: {' '.join(sorted(_FORMATS))}",
        )  # fmt: skip
    return found


class _Reading:
    """One reading of the tables."""

    def __init__(self, config: FileSource, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._folders = count()  # dlt may read two tables in turns
        self._types: dict[str, dict[str, CellType]] = {}
        self.refused: list[Refused] = []
        self.notes: list[str] = []

    def resource(self, table: _Table) -> Any:
        from stratagraph.landing.pipeline import dlt

        read = {"cells": self._cells, "parquet": self._parquet, "records": self._records}[table.family]
        return dlt.resource(read(table), name=table.name, write_disposition="replace")

    def named(self, columns: Sequence[Column]) -> list[Column]:
        """The columns; those of text files with the types that their cells were found to have."""
        types = {(table, name): kind.name for table, kinds in self._types.items() for name, kind in kinds.items()}
        return [replace(column, type=types.get((column.table_name, column.name), column.type)) for column in columns]

    def _cells(self, table: _Table) -> Iterator[Any]:
        from stratagraph.sources.read.formats.cells import CellStore

        files = [self._delimited(file) for file in table.files]
        columns = tuple(dict.fromkeys(column for file in files for column in file.columns))
        _refuse_columns(columns, files)
        folder = self._folder / str(next(self._folders))
        folder.mkdir()
        store = CellStore(folder, columns)
        for file in files:
            with store.writer(file.columns, self._config.nulls) as writer:
                for batch in file.batches(self._report_row(table.name, file.file)):
                    writer.write(batch)
        self._types[table.name] = store.types()
        yield from store.tables(self._types[table.name])

    def _delimited(self, file: Input) -> DelimitedFile:
        from stratagraph.sources.read.formats.delimited import DelimitedFile
        from stratagraph.sources.read.formats.dialects import find_dialect, find_least_cells

        config = self._config
        delimiter = config.delimiter or ("\t" if _format(file, config) == "tsv" else None)
        encoding = self._encoding(file)
        dialect = find_dialect(file, encoding, delimiter, config.quote)
        least = 1 if config.short_rows == "fill" else None
        if config.short_rows is None and (least := find_least_cells(file, encoding, dialect)) is not None:
            what = "rows leave out cells at their end, which are read as no value; set short_rows to be sure"
            self.notes.append(f"{file.path}: {what}")
        return DelimitedFile(file, encoding, dialect, config.header, least)

    def _encoding(self, file: Input) -> Any:
        from stratagraph.sources.read.formats.encoding import find_encoding

        encoding = find_encoding(file, self._config.encoding)
        if encoding.note:
            self.notes.append(encoding.note)
        return encoding

    def _parquet(self, table: _Table) -> Iterator[Any]:
        from stratagraph.sources.read.formats.parquet import read_tables

        yield from read_tables(table.files)

    def _records(self, table: _Table) -> Iterator[Any]:
        from stratagraph.sources.read.formats import json, yaml

        readers: dict[str, Callable[..., Any]] = {
            "json": json.read_document, "jsonl": json.read_lines, "yaml": yaml.read_document,
        }  # fmt: skip
        for file in table.files:
            kind = _format(file, self._config)
            waiting: list[dict[str, Any]] = []
            for record in readers[kind](file, self._encoding(file), self._report_record(table.name, file, kind)):
                waiting.append(record)
                if len(waiting) == _RECORDS:
                    yield waiting
                    waiting = []
            if waiting:
                yield waiting

    def _report_row(self, table: str, file: Input) -> Callable[[BadRow], None]:
        def report(row: BadRow) -> None:
            self.refused.append(Refused("malformed_row", row.what, row.raw[:_PAYLOAD], f"{file.path}:{row.line}", table))

        return report

    def _report_record(self, table: str, file: Input, kind: str) -> Callable[[BadRecord], None]:
        def report(record: BadRecord) -> None:
            place = f"{file.path}:{record.place}" if kind == "jsonl" else f"{file.path} record {record.place}"
            self.refused.append(Refused(record.reason, record.what, record.raw[:_PAYLOAD], place, table))

        return report


def _refuse_columns(columns: Sequence[str], files: Sequence[DelimitedFile]) -> None:
    """Names that dlt can't tell apart, before it meets them."""
    from stratagraph.landing.pipeline import landing_column

    taken: dict[str, str] = {}
    for column in columns:
        other = taken.setdefault(landing_column(column), column)
        if other != column:
            file = next(file.file for file in files if column in file.columns)
            raise SourceError(
                f"the columns {other!r} and {column!r} can't be told apart once loaded",
                where=f"{file.path}:1",
                hint="rename one",
            )
