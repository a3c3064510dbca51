"""Reads Parquet in batches, all files of a table in one schema, and rounds nothing."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.inputs import Input

_BATCH_ROWS = 10_000


def read_tables(files: Sequence[Input]) -> Iterator[pa.Table]:
    """The rows of some files in order. A column that a file lacks has no value in its rows."""
    schema = _schema(files)
    fine = {name for file in files for name in _finer_than_microseconds(file, schema)}
    schema = pa.schema([pa.field(f.name, pa.string()) if f.name in fine else f for f in schema])
    yield schema.empty_table()
    for file in files:
        with _open(file) as parquet:
            for batch in parquet.iter_batches(_BATCH_ROWS):
                yield pa.table([_column(batch, field) for field in schema], schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field) -> Any:
    at = batch.schema.get_field_index(field.name)
    return pa.nulls(batch.num_rows, field.type) if at < 0 else batch.column(at).cast(field.type)


def _schema(files: Sequence[Input]) -> pa.Schema:
    schemas = []
    for file in files:
        with _open(file) as parquet:
            names = parquet.schema_arrow.names
            twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
            if twice is not None:
                raise SourceError(f"two columns are called {twice!r}", where=file.path)
            schemas.append(parquet.schema_arrow.remove_metadata())
        try:
            pa.unify_schemas(schemas, promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise SourceError(f"its columns don't go with those of {files[0].path}: {error}", where=file.path) from error
    return pa.unify_schemas(schemas, promote_options="permissive")


def _finer_than_microseconds(file: Input, schema: pa.Schema) -> set[str]:
    """Columns of nanoseconds that really have such: a landing column can't hold them, text can."""
    fine = set()
    with _open(file) as parquet:
        names = [f.name for f in parquet.schema_arrow if pa.types.is_timestamp(f.type) and f.type.unit == "ns"]
        for batch in parquet.iter_batches(_BATCH_ROWS, columns=names) if names else ():
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                if pc.any(pc.not_equal(pc.nanosecond(column), 0)).as_py():
                    fine.add(name)
    return fine


@contextmanager
def _open(file: Input) -> Iterator[pq.ParquetFile]:
    if file.is_packed:
        raise SourceError("Parquet is not read out of archives", where=file.path, hint="unpack it")
    try:
        with pq.ParquetFile(file.absolute) as parquet:
            yield parquet
    except (pa.ArrowException, OSError, struct.error) as error:
        raise SourceError(f"it can't be read as Parquet: {error}", where=file.path) from error
