"""Decides what the cells of a text table are, column by column, by all of its cells: a column gets a type only if no cell loses
anything by it.

`00123`, `+5`, `1e3` and `1.50` beside `1.5` keep their spelling as text; so does every column with one cell that is no number,
date or time of the usual form. Cells wait in Parquet files until all of them were seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stratagraph.sqlfiles import load_sql, quote_identifier

LAYER = "sources"
_SAMPLE_ROWS = 1_000
_COLUMNS_AT_ONCE = 50  # planning takes more than twice the time for twice the columns
_MAX_DIGITS = 38
_INT64_DIGITS = 18
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "512MB", "threads": 2}


@dataclass(frozen=True)
class CellType:
    """name: what reports call it; arrow: how its cells land."""

    name: str
    arrow: pa.DataType


TEXT = CellType("text", pa.string())


class CellStore:
    """Cells of one table, as text, in a folder of their own.

    Args:
        folder: an empty folder.
        columns: names of the columns.
    """

    def __init__(self, folder: Path, columns: Sequence[str]) -> None:
        self._folder = folder
        self._columns = tuple(columns)
        self._schema = pa.schema([(f"c{position}", pa.string()) for position in range(len(columns))])
        self._files: list[Path] = []

    @contextmanager
    def writer(self, columns: Sequence[str], nulls: Sequence[str]) -> Iterator[_Writer]:
        """Takes the cells of one file. columns: those it has, in its order; the others have no value in its rows."""
        file = self._folder / f"{len(self._files)}.parquet"
        self._files.append(file)
        with pq.ParquetWriter(file, self._schema, compression="zstd", compression_level=1, write_statistics=False) as parquet:
            yield _Writer(parquet, self._schema, [columns.index(c) if c in columns else None for c in self._columns], nulls)

    def types(self) -> dict[str, CellType]:
        """Type of each column. A column without any value is text."""
        likely = self._likely()
        with closing(duckdb.connect(config={**_SETTINGS, "temp_directory": str(self._folder)})) as connection:
            connection.execute(load_sql(LAYER, "create_cell_macros"))
            found: dict[str, CellType] = {}
            for start in range(0, len(likely), _COLUMNS_AT_ONCE):
                found |= self._judge(connection, likely[start : start + _COLUMNS_AT_ONCE])
        names = self._schema.names
        return {column: found.get(name, TEXT) for name, column in zip(names, self._columns, strict=True)}

    def _likely(self) -> list[tuple[str, str]]:
        """Columns and what their first cells may be: most types need not be looked for in all of them."""
        with pq.ParquetFile(self._files[0]) as parquet:
            first = next(parquet.iter_batches(_SAMPLE_ROWS), None)
        if first is None:
            return [(name, kind) for name in self._schema.names for kind in _JUDGES]
        samples = zip(self._schema.names, first.columns, strict=True)
        return [(name, kind) for name, cells in samples for kind, pattern in _SHAPES.items() if _all_match(cells, pattern)]

    def _judge(self, connection: duckdb.DuckDBPyConnection, likely: Sequence[tuple[str, str]]) -> dict[str, CellType]:
        """The columns that are by all of their cells what they seem to be."""
        facts = ", ".join(f"{kind}_facts({quote_identifier(name)})" for name, kind in likely)
        parameters = {"files": [str(file) for file in self._files]}
        row = connection.execute(load_sql(LAYER, "select_cell_facts", facts=facts), parameters).fetchone()
        assert row is not None
        judged = {name: _JUDGES[kind](shown) for (name, kind), shown in zip(likely, row, strict=True) if shown["fits"]}
        return {name: kind for name, kind in judged.items() if kind is not None}

    def tables(self, types: Mapping[str, CellType]) -> Iterator[pa.Table]:
        """The rows in order, in their types."""
        schema = pa.schema([(column, types[column].arrow) for column in self._columns])
        empty = True
        for file in self._files:
            with pq.ParquetFile(file) as parquet:
                for group in range(parquet.num_row_groups):
                    columns = parquet.read_row_group(group).columns
                    typed = [_typed(cells, kind.type) for cells, kind in zip(columns, schema, strict=True)]
                    yield pa.table(typed, schema=schema)
                    empty = False
        if empty:
            yield schema.empty_table()


class _Writer:
    """Writes batches of one file."""

    def __init__(
        self, parquet: pq.ParquetWriter, schema: pa.Schema, places: Sequence[int | None], nulls: Sequence[str]
    ) -> None:
        self._parquet = parquet
        self._schema = schema
        self._places = places
        self._nulls = pa.array(nulls, pa.string())

    def write(self, batch: Sequence[pa.Array]) -> None:
        rows = len(batch[0])
        cells = [pa.nulls(rows, pa.string()) if place is None else self._without_nulls(batch[place]) for place in self._places]
        self._parquet.write_table(pa.table(cells, schema=self._schema), row_group_size=max(rows, 1))

    def _without_nulls(self, cells: pa.Array) -> pa.Array:
        return pc.if_else(pc.is_in(cells, value_set=self._nulls), pa.scalar(None, pa.string()), cells)


def _typed(cells: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return cells if kind == pa.string() else cells.cast(kind)


def _number(facts: Mapping[str, Any]) -> CellType | None:
    whole, scale = facts["whole"], facts["scale"]
    if not scale:
        if whole > _MAX_DIGITS:
            return None
        return CellType("integer", pa.int64() if whole <= _INT64_DIGITS else pa.decimal128(_MAX_DIGITS, 0))
    if whole + scale > _MAX_DIGITS or not _has_one_spelling(facts):
        return None
    return CellType("decimal", pa.decimal128(_MAX_DIGITS, scale))


def _time(facts: Mapping[str, Any]) -> CellType | None:
    if facts["separators"] > 1 or facts["zones"] > 1 or not _has_one_spelling(facts):
        return None
    if facts["zone"]:
        return CellType("timestamp with time zone", pa.timestamp("us", "UTC"))
    return CellType("timestamp", pa.timestamp("us"))


def _has_one_spelling(facts: Mapping[str, Any]) -> bool:
    """Whether all fractions are of one length, or none ends with a zero."""
    return facts["scale"] == facts["min_scale"] or not facts["trailing"]


def _all_match(cells: pa.Array, pattern: str) -> bool:
    matching: bool | None = pc.all(pc.match_substring_regex(cells, pattern)).as_py()
    return matching is not False  # None: there is no value among them


# What a cell of each type looks like at the least, and what decides.
_SHAPES = {
    "number": "^-?[0-9][0-9.]*$",
    "boolean": "^(true|false)$",
    "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "time": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?$",
}
_JUDGES = {
    "number": _number,
    "boolean": lambda facts: CellType("boolean", pa.bool_()),
    "date": lambda facts: CellType("date", pa.date32()),
    "time": _time,
}
