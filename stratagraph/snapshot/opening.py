"""Opens the search index of a snapshot and refuses one that does not cover its rows."""

from __future__ import annotations

import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import duckdb

from stratagraph.errors import SnapshotError
from stratagraph.search import analysis, vectors
from stratagraph.search.arms import write_arms
from stratagraph.search.engine import LEXICAL_FOLDER, VECTOR_FILE, SearchEngine
from stratagraph.search.lexical import LexicalIndex
from stratagraph.search.units import read_columns
from stratagraph.search.vectors import VectorIndex
from stratagraph.snapshot.database import cache_folder
from stratagraph.snapshot.layout import INDEX, UNITS
from stratagraph.sqlfiles import qualified


def open_engine(connection: duckdb.DuckDBPyConnection, folder: Path, manifest: dict[str, Any]) -> SearchEngine:
    """Open a snapshot's index; the lexical arm is made again in a cache if another engine version wrote it."""
    model = manifest["embedding"].get("model")
    if model != vectors.MODEL:
        raise SnapshotError(
            f"the vectors are of the model {model!r}, this version embeds queries with {vectors.MODEL!r}",
            where=str(folder), hint="publish again, or install the version that published it",
        )  # fmt: skip
    columns = read_columns(connection)
    engine = SearchEngine(columns, _lexical(connection, folder, manifest), _vectors(folder))
    lengths = {len(columns), len(engine.lexical), len(engine.vectors), int(manifest["rows_indexed"])}
    if len(lengths) != 1:
        raise SnapshotError(f"the index covers {min(lengths)} of {max(lengths)} units", where=str(folder), hint="publish again")
    return engine


def _vectors(folder: Path) -> VectorIndex:
    try:
        return VectorIndex(folder / INDEX / VECTOR_FILE)
    except (OSError, ValueError) as error:
        raise SnapshotError(f"the vectors cannot be read: {error}", where=str(folder), hint="publish again") from error


def _lexical(connection: duckdb.DuckDBPyConnection, folder: Path, manifest: dict[str, Any]) -> LexicalIndex:
    same_terms = manifest["tokenizer"].get("version") == analysis.VERSION
    if same_terms:
        try:
            return LexicalIndex(folder / INDEX / LEXICAL_FOLDER)
        except SnapshotError:  # a format that this tantivy does not know, or a damaged file
            pass
    name = f"lexical-{analysis.VERSION.replace('/', '-')}-{metadata.version('tantivy')}"
    target = cache_folder(manifest) / name
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as temporary, connection.cursor() as cursor:
            write_arms(cursor, qualified("graph", UNITS), Path(temporary), dimensions=None)
            try:
                (Path(temporary) / LEXICAL_FOLDER).replace(target)
            except OSError:  # another reader was faster, and a folder does not replace one
                if not target.exists():
                    raise
    return LexicalIndex(target)
