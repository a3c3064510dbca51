"""The Direct Mapping (W3C) of a database as N-Triples, made by the code that makes nodes and edges.

A project that lives as long as the mapping takes loads the database and stages its rows; what was staged is written as
triples, with the XSD datatypes of its columns. How values are spelled is in `sql/direct_map/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import duckdb
import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from stratagraph.config import Config
from stratagraph.config.sources import SqlSource
from stratagraph.config.urls import resolve_url
from stratagraph.config.values import Namespace
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.batches import PRODUCER
from stratagraph.sources.catalog import loaded_tables
from stratagraph.sources.datatypes import XSD
from stratagraph.sources.load import load_source
from stratagraph.sources.names import iri_safe, pointer, table_iri
from stratagraph.sources.properties import ColumnProperty, column_properties
from stratagraph.sources.rows import stage_rows
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import staged_batches

LAYER = "direct_map"
SOURCE = "database"

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_TABLES = pa.schema(
    {
        "table_name": _TEXT,
        "prefix": _TEXT,
        "key": _TEXTS,
        "key_names": _TEXTS,
        "datatypes": _TEXTS,
        "widths": pa.list_(pa.int64()),
    }
)
_COLUMNS = pa.schema({"table_name": _TEXT, "property": _TEXT, "datatype": _TEXT, "width": pa.int64()})
_LINES = 10_000  # triples that are held at a time


@dataclass(frozen=True)
class Mapped:
    """What was written, and what could not be: rows of which a part of the primary key is NULL, as SQLite allows."""

    triples: int
    unidentified: int


def write_direct_map(out: BinaryIO, url: str, base: str, *, schema: str | None = None, tables: tuple[str, ...] = ()) -> Mapped:
    """Write the triples of a database, sorted, in UTF-8.

    Args:
        out: written to when everything was read.
        url: SQLAlchemy URL; a relative path of a file begins at the working directory.
        base: what all IRIs begin with; ends with `/`, `#` or `:`.
        schema: default: the database's own default.
        tables: default: all tables of the schema.
    """
    with _project(url, base, schema, tables) as project:
        load_source(project, SOURCE)
        stage_rows(project)
        with project.landing_connection() as connection:
            written = _write(out, project, connection)
        return Mapped(written, _unidentified(project))


@contextmanager
def _project(url: str, base: str, schema: str | None, tables: tuple[str, ...]) -> Iterator[Project]:
    """A project with the database as its only source."""
    try:
        TypeAdapter(Namespace).validate_python(base)
    except ValidationError as error:
        raise ConfigError(f"the base {error.errors()[0]['msg'].removeprefix('Value error, ')}", where=base) from error
    source = {
        "type": "sql", "url": resolve_url(url, Path.cwd()), "schema": schema, "tables": list(tables) or None, "base": base,
        "valid_time": "always", "binary": "hex", "infer_keys": False,
    }  # fmt: skip
    with TemporaryDirectory(prefix="stratagraph-") as folder:
        config = Config.model_validate(
            {"version": 1, "data_dir": folder, "ontology": {"files": ["none.ttl"]}, "sources": {SOURCE: source}}
        )
        yield Project(config, Path(folder))


def _write(out: BinaryIO, project: Project, connection: duckdb.DuckDBPyConnection) -> int:
    config = project.config.sources[SOURCE]
    assert isinstance(config, SqlSource)
    columns = list(column_properties(project, connection, SOURCE, config))
    connection.register("mapped_tables", _tables(project, connection, columns))
    connection.register("mapped_columns", _columns(columns))
    connection.execute(load_sql("sources", "create_macros"))
    connection.execute(load_sql(LAYER, "create_macros"))
    written = 0
    for staged in staged_batches(project, PRODUCER):
        parameters = {"file": str(staged.statements), "base": config.base}
        lines = connection.execute(load_sql(LAYER, "select_triples"), parameters).to_arrow_reader(_LINES)
        for batch in lines:
            out.write("".join(f"{line}\n" for line in batch.column(0).to_pylist()).encode())
            written += batch.num_rows
    return written


def _tables(project: Project, connection: duckdb.DuckDBPyConnection, columns: list[ColumnProperty]) -> pa.Table:
    """How the row nodes of each table are named."""
    known = {(column.table, column.column): column for column in columns}
    rows = [
        {
            "table_name": table.name, "prefix": f"{table_iri(project, SOURCE, table.name)}/",
            "key": [pointer(column) for column in table.key], "key_names": [iri_safe(column) for column in table.key],
            "datatypes": [_local(known[table.name, column].datatype) for column in table.key],
            "widths": [known[table.name, column].width for column in table.key],
        }
        for table in loaded_tables(connection, SOURCE)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=_TABLES)


def _columns(columns: list[ColumnProperty]) -> pa.Table:
    rows = [
        {"table_name": column.table, "property": column.property, "datatype": _local(column.datatype), "width": column.width}
        for column in columns
    ]
    return pa.Table.from_pylist(rows, schema=_COLUMNS)


def _local(datatype: str | None) -> str | None:
    return datatype.removeprefix(XSD) if datatype else None


def _unidentified(project: Project) -> int:
    """Rows that were refused because a part of their primary key is NULL."""
    if not project.warehouse.exists():
        return 0
    with project.read() as connection:
        row = connection.execute(load_sql(LAYER, "count_unidentified")).fetchone()
    return int(row[0]) if row else 0
