"""Writes the two arms of an index (lexical, vectors) from a table of units.

The pipeline does it when it builds an index; a reader does it for the lexical arm when a snapshot's was written by another
version of the engine. So there is nothing here but DuckDB, numpy and tantivy.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

from stratagraph.search import vectors
from stratagraph.search.engine import LEXICAL_FOLDER, VECTOR_FILE
from stratagraph.search.lexical import TIMES, write_lexical
from stratagraph.search.units import Integers
from stratagraph.sqlfiles import load_sql

_NEIGHBOURS = ("previous_1", "previous_2", "next_1", "next_2")


def write_arms(connection: duckdb.DuckDBPyConnection, units: str, folder: Path, *, dimensions: int | None) -> None:
    """Write the lexical index, and the vectors if their dimensions are given.

    Args:
        connection: where the units are.
        units: quoted name of the table with the columns of `create_units.sql`.
        folder: receives a folder `lexical` and a file `vectors.npy`.
        dimensions: length of the vectors.
    """
    columns = connection.execute(load_sql("search", "select_searched", units=units)).fetchnumpy()
    texts = columns["text"].tolist()
    neighbours = _matrix(columns, _NEIGHBOURS)
    write_lexical(
        folder / LEXICAL_FOLDER, columns["kind"].tolist(), columns["dataset"].tolist(), texts, neighbours.tolist(),
        _matrix(columns, TIMES).tolist(),
    )  # fmt: skip
    if dimensions is not None:
        vectors.save(vectors.smooth(vectors.embed(texts, dimensions), neighbours[:, :3]), folder / VECTOR_FILE)


def _matrix(columns: dict[str, np.ndarray], names: tuple[str, ...]) -> Integers:
    return np.column_stack([np.asarray(columns[name], dtype=np.int64) for name in names])
