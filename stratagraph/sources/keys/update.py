"""Foreign keys of all sources to `graph.foreign_keys`: those that are used, with how many rows they hold for, and those that
were inferred and wait for a person's yes.

What keys there are is known since the source was loaded; no database is opened and nothing is inferred here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import ForeignKey, InferredKey, inferred_keys, last_load
from stratagraph.sources.keys.known import known_keys, links_of, structure_fingerprint
from stratagraph.sources.names import dataset_name, pointer
from stratagraph.sqlfiles import load_sql, qualified
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

LAYER = "sources"
STAGE = "foreign_keys"
VERSION = 2  # of how coverage is computed

_SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("source", pa.string()),
        ("name", pa.string()),
        ("table_name", pa.string()),
        ("columns", pa.list_(pa.string())),
        ("referenced_table", pa.string()),
        ("referenced_columns", pa.list_(pa.string())),
        ("origin", pa.string()),
        ("coverage", pa.float64()),
        ("confidence", pa.float64()),
        ("used", pa.bool_()),
        ("evidence", pa.string()),
    ]
)


@dataclass(frozen=True)
class KeysResult:
    """Foreign keys that are known now.

    Args:
        incomplete: those that are used and that some row has without a row to find.
        candidates: those that were inferred and are not sure enough to be used; `stratagraph sources keys` lists them.
    """

    changed: bool
    declared: int
    nested: int
    configured: int
    inferred: int
    incomplete: int
    candidates: int

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


def update_foreign_keys(project: Project) -> KeysResult:
    """Bring `graph.foreign_keys` up to date with the landing file."""
    dataset = {"dataset": project.config.dataset}
    # Where nothing is declared, as in a project of documents alone, there need not be a landing file yet.
    with project.landing_connection(read_only=project.landing.exists()) as landing:
        wanted = _input_fingerprint(project, landing)
        counts = _counts_if_current(project, wanted)
        if counts is not None:
            return KeysResult(False, *counts)
        rows = _keys(project, landing)
    with project.write() as connection:
        connection.register("keys", pa.Table.from_pylist(rows, schema=_SCHEMA))
        with transaction(connection):
            difference = connection.execute(load_sql(LAYER, "select_key_differences"), dataset).fetchone()
            changed = difference is not None and difference[0] > 0
            if changed:
                connection.execute(load_sql(LAYER, "delete_foreign_keys"), dataset)
                connection.execute(load_sql(LAYER, "insert_foreign_keys"))
            write_watermark(connection, project, STAGE, wanted)
        counts = connection.execute(load_sql(LAYER, "select_key_counts"), dataset).fetchone()
    assert counts is not None
    return KeysResult(changed, *counts)


def _input_fingerprint(project: Project, landing: duckdb.DuckDBPyConnection) -> str:
    parts: list[object] = [VERSION]
    for source in sorted(project.config.sources):
        load = last_load(landing, source)
        if load is None:
            raise SourceError("the source was not loaded yet", where=f"sources.{source}", hint="load the sources first")
        structure = structure_fingerprint(landing, source, project.config.sources[source])
        parts += [source, load.content_fingerprint, structure, *inferred_keys(landing, source)]
    return fingerprint(*parts)


def _counts_if_current(project: Project, wanted: str) -> tuple[int, ...] | None:
    """What the warehouse has, if it has consumed this input already."""
    if not project.warehouse.exists():
        return None
    with project.read() as connection:
        if read_watermark(connection, project, STAGE) != wanted:
            return None
        return connection.execute(load_sql(LAYER, "select_key_counts"), {"dataset": project.config.dataset}).fetchone()


def _keys(project: Project, landing: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """All keys, as rows of the table."""
    rows = []
    for source, config in sorted(project.config.sources.items()):
        inferred = {links_of(key): key for key in inferred_keys(landing, source)}
        for key in known_keys(landing, source, config):
            total, found = _coverage(landing, source, key)
            coverage = found / total if total else 1.0
            rows.append(_row(project, source, key, coverage, inferred.pop(links_of(key), None), used=True))
        for key in inferred.values():
            rows.append(_row(project, source, key, key.coverage, key, used=False))
    return rows


def _row(
    project: Project, source: str, key: ForeignKey, coverage: float, inferred: InferredKey | None, *, used: bool
) -> dict[str, Any]:
    sure = 1.0 if key.origin != "inferred" or inferred is None else inferred.confidence
    return {
        "dataset": project.config.dataset, "source": source, "name": key.name, "table_name": key.table,
        "columns": key.columns, "referenced_table": key.referenced_table, "referenced_columns": key.referenced_columns,
        "origin": key.origin, "coverage": coverage, "confidence": sure, "used": used,
        "evidence": inferred.evidence if inferred else None,
    }  # fmt: skip


def _coverage(landing: duckdb.DuckDBPyConnection, source: str, key: ForeignKey) -> tuple[int, int]:
    if key.origin == "nested" and not key.referenced_columns:
        return 0, 0  # an item is told apart by its parent: it can't lack one
    if key.origin == "nested":
        dataset = dataset_name(source)
        identifiers = {"child": qualified(dataset, key.table), "parent": qualified(dataset, key.referenced_table)}
        row = landing.execute(load_sql(LAYER, "select_nested_coverage", **identifiers)).fetchone()
    else:
        parameters = {
            "source": source,
            "table": key.table,
            "columns": [pointer(column) for column in key.columns],
            "referenced_table": key.referenced_table,
            "referenced_columns": [pointer(column) for column in key.referenced_columns],
        }
        row = landing.execute(load_sql(LAYER, "select_key_coverage"), parameters).fetchone()
    assert row is not None
    return row[0], row[1]
