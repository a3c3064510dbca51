"""Builds the search index of the warehouse: whole or absent, and not again while its inputs are the same.

`<data_dir>/index/<fingerprint>/` holds the units as Parquet, the lexical index and the vectors. This module belongs to the
pipeline; what a reader needs of an index is in `engine`.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import duckdb

from stratagraph.project import Project, fingerprint
from stratagraph.search import analysis, vectors
from stratagraph.search.arms import write_arms
from stratagraph.search.lexical import NEIGHBOUR_WEIGHTS, OWN_WEIGHT
from stratagraph.sqlfiles import load_sql, quote_identifier

UNITS_FILE = "units.parquet"
ROW_GROUP_ROWS = 50_000
_VIEWS = (
    "create_macros",
    "create_labels",
    "create_statement_sources",
    "create_chunk_units",
    "create_fact_units",
    "create_node_units",
    "create_community_units",
)


@dataclass(frozen=True)
class IndexResult:
    """What building the index did."""

    changed: bool
    path: Path
    units: int
    chunks: int
    facts: int
    nodes: int
    communities: int
    bytes: int

    def metadata(self) -> dict[str, int | float | str]:
        return {name: value for name, value in asdict(self).items() if name not in ("changed", "path")} | {
            "fingerprint": self.path.name
        }


def build_index(project: Project) -> IndexResult:
    """Build the index of what the warehouse holds now; one that is already there is left as it is."""
    root = project.data_dir / "index"
    with project.read() as connection:
        folder = root / _fingerprint(project, connection)
        changed = not folder.exists()
        if changed:
            _remove(root, keep=None, unfinished=True)
            temporary = root / f".tmp-{folder.name}"
            temporary.mkdir(parents=True)
            _build(project, connection, temporary)
            temporary.replace(folder)
    _remove(root, keep=folder.name, unfinished=False)
    return _result(changed, folder)


def index_version(project: Project) -> str:
    """Fingerprint of all that an index depends on beside its inputs: the code that makes it, and its settings."""
    texts = [load_sql("search", name) for name in (*_VIEWS, "create_units", "select_searched")]
    weights = (OWN_WEIGHT, NEIGHBOUR_WEIGHTS, vectors.NEIGHBOUR_WEIGHTS, vectors.MAX_CHARACTERS)
    config = project.config
    return fingerprint(
        analysis.VERSION,
        metadata.version("tantivy"),
        vectors.MODEL,
        config.embedding.dimensions,
        config.snapshot.history,
        texts,
        weights,
    )


def _fingerprint(project: Project, connection: duckdb.DuckDBPyConnection) -> str:
    inputs = connection.execute(load_sql("search", "select_inputs")).fetchall()
    return fingerprint(index_version(project), inputs)


def _build(project: Project, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    # Parallel writers would cut row groups where they happen to meet; bytes must be a function of the rows.
    connection.execute(load_sql("snapshot", "configure_writer"))
    for name in _VIEWS:
        connection.execute(load_sql("search", name))
    connection.execute(load_sql("search", "create_units"), {"current": project.config.snapshot.history == "current"})
    units = connection.sql(load_sql("search", "select_units"))
    units.write_parquet(str(folder / UNITS_FILE), compression="zstd", row_group_size=ROW_GROUP_ROWS)
    write_arms(connection, quote_identifier("units"), folder, dimensions=project.config.embedding.dimensions)


def _remove(root: Path, *, keep: str | None, unfinished: bool) -> None:
    """Remove what a killed run left unfinished, or all finished indexes but one."""
    for folder in sorted(root.glob("*")):
        if folder.name.startswith(".tmp-") == unfinished and folder.name != keep:
            shutil.rmtree(folder, ignore_errors=True)


def _result(changed: bool, folder: Path) -> IndexResult:
    with duckdb.connect() as connection:
        counts = dict(connection.execute(load_sql("search", "count_units"), {"file": str(folder / UNITS_FILE)}).fetchall())
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return IndexResult(
        changed, folder, sum(counts.values()), counts.get("chunk", 0), counts.get("fact", 0), counts.get("node", 0),
        counts.get("community", 0), size,
    )  # fmt: skip
