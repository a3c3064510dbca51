"""Infers the keys of a loaded source, and keeps what was inferred in the landing file.

Reads dlt's tables and the row log, writes `stratagraph.inferred_keys` and `stratagraph.inferred_identifiers`.
What of it is used is decided in `keys/known.py`, together with what the config says.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa

from stratagraph.config.sources import TableSource
from stratagraph.sources.catalog import LandedColumn
from stratagraph.sources.keys.inference.identity import Identity
from stratagraph.sources.keys.inference.infer import Inference, infer_keys
from stratagraph.sources.keys.inference.tables import KeyColumn, KeyTable
from stratagraph.sources.keys.text import parse_key, print_key
from stratagraph.sources.landing import landing_columns
from stratagraph.sources.names import pointer
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

LAYER = "keys"

_TEXT, _NAMES = pa.string(), pa.list_(pa.string())
_KEYS = pa.schema(
    {"source": _TEXT, "name": _TEXT, "table_name": _TEXT, "columns": _NAMES, "referenced_table": _TEXT,
     "referenced_columns": _NAMES, "coverage": pa.float64(), "confidence": pa.float64(), "evidence": _TEXT, "used": pa.bool_()}
)  # fmt: skip
_IDENTIFIERS = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "columns": _NAMES, "confidence": pa.float64(), "evidence": _TEXT, "before": _NAMES}
)


@dataclass(frozen=True)
class Structure:
    """What is known of the tables of a source before anything is inferred.

    Args:
        columns: of all tables, as they landed.
        primary: table -> what tells its rows apart, as declared or configured.
        unique: table -> other keys that are declared.
        referring: (table, column) of which it is known what they refer to.
        partial: tables of which a load brings a part only; their rows are in the row log.
        nested: tables whose rows are told apart by the row that they are nested in.
    """

    columns: Sequence[LandedColumn]
    primary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unique: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    referring: Collection[tuple[str, str]] = ()
    partial: Collection[str] = ()
    nested: Collection[str] = ()


def infer_source(
    connection: duckdb.DuckDBPyConnection, source: str, config: TableSource, dataset: str, structure: Structure
) -> Inference:
    """What can be inferred of a source from dlt's tables. Nothing is written."""
    tables = _tables(connection, source, dataset, structure)
    denied = [parse_key(text, f"sources.{source}.not_keys") for text in config.not_keys]
    kept = {identity.table: identity.columns for identity in inferred_identifiers(connection, source) if identity.columns}
    found = infer_keys(connection, tables, structure.referring, kept, {key.links for key in denied})
    known = {identity.table for identity in found.identities}
    gone = {table: columns for table, columns in kept.items() if table not in known and _is_given_up(table, structure)}
    identities = [identity for identity in found.identities if identity.table not in structure.nested]
    identities += [
        Identity(table, (), 0.0, {"reason": "it holds no longer"}, columns) for table, columns in sorted(gone.items())
    ]
    return Inference(found.keys, tuple(sorted(identities, key=lambda identity: identity.table)))


def _is_given_up(table: str, structure: Structure) -> bool:
    return any(column.table == table for column in structure.columns) and not structure.primary.get(table)


def replace_inferred(connection: duckdb.DuckDBPyConnection, source: str, inference: Inference) -> None:
    """Keep what was inferred of a source instead of what was inferred before."""
    keys = [
        {
            "name": print_key(*key.key), "table_name": key.table, "columns": list(key.columns),
            "referenced_table": key.referenced_table, "referenced_columns": list(key.referenced_columns),
            "coverage": key.coverage, "confidence": key.confidence, "used": key.used,
            "evidence": json.dumps(key.evidence, ensure_ascii=False, sort_keys=True),
        }
        for key in inference.keys
    ]  # fmt: skip
    identifiers = [
        {
            "table_name": identity.table, "columns": list(identity.columns), "confidence": identity.confidence,
            "evidence": json.dumps(identity.evidence, ensure_ascii=False, sort_keys=True),
            "before": None if identity.before is None else list(identity.before),
        }
        for identity in inference.identities
    ]  # fmt: skip
    for table, rows, schema in (("inferred_keys", keys, _KEYS), ("inferred_identifiers", identifiers, _IDENTIFIERS)):
        target = qualified("stratagraph", table)
        connection.execute(load_sql(LAYER, "delete_of_source", table=target), {"source": source})
        connection.register("inferred", pa.Table.from_pylist([{"source": source, **row} for row in rows], schema=schema))
        connection.execute(load_sql(LAYER, "insert_inferred", table=target))
        connection.unregister("inferred")


def inferred_identifiers(connection: duckdb.DuckDBPyConnection, source: str) -> list[Identity]:
    """What tells the rows of tables apart, as the last load inferred it. Without columns: nothing does any more."""
    rows = connection.execute(load_sql(LAYER, "select_inferred_identifiers"), {"source": source}).fetchall()
    return [
        Identity(table, tuple(columns), confidence, json.loads(evidence), None if before is None else tuple(before))
        for table, columns, confidence, evidence, before in rows
    ]


def _tables(connection: duckdb.DuckDBPyConnection, source: str, dataset: str, structure: Structure) -> list[KeyTable]:
    landed = landing_columns(connection, dataset)
    by_table: dict[str, list[LandedColumn]] = {}
    for column in structure.columns:
        by_table.setdefault(column.table, []).append(column)
    found = []
    for number, (name, columns) in enumerate(sorted(by_table.items())):
        columns.sort(key=lambda column: column.position)
        keys = structure.primary.get(name, ()), tuple(structure.unique.get(name, ()))
        if name in structure.partial and name not in structure.nested:
            found.append(KeyTable(name, *_logged(connection, source, name, number, columns), *keys))
            continue
        present = landed.get(columns[0].landing_table)
        cells = tuple(KeyColumn(c.name, _variants(c, present or {}), c.encoded) for c in columns)
        relation = qualified(dataset, columns[0].landing_table) if present else None
        found.append(KeyTable(name, relation, cells, *keys))
    return found


def _variants(column: LandedColumn, landed: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The landing columns that hold the cells of a column: dlt puts those that don't fit its type into variants of it."""
    own = column.landing_column
    return tuple((name, kind) for name, kind in landed.items() if name == own or name.startswith(f"{own}__v_"))


def _logged(
    connection: duckdb.DuckDBPyConnection, source: str, table: str, number: int, columns: Sequence[LandedColumn]
) -> tuple[str, tuple[KeyColumn, ...]]:
    """The rows of a table from the row log, as a temporary table."""
    names = [f"cell_{position}" for position in range(len(columns))]
    cells = ", ".join(f"json_extract(content, $p{n}) AS {quote_identifier(name)}" for n, name in enumerate(names))
    relation = f"logged_{number}"
    connection.execute(
        load_sql(LAYER, "create_latest_rows", name=quote_identifier(relation), cells=cells),
        {"source": source, "table": table} | {f"p{n}": pointer(column.name) for n, column in enumerate(columns)},
    )
    return quote_identifier(relation), tuple(
        KeyColumn(column.name, ((name, "JSON"),), encoded=True) for column, name in zip(columns, names, strict=True)
    )
