"""Keeps erased records and documents out of the landing file: what is there goes, what a load brings again is dropped.

Which they are, tombstones of the warehouse say (`temporal.tombstones`). What a load wrote and this takes out again leaves bytes
in free blocks of the file until it is rewritten: a source that still holds what was erased has to let go of it itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import duckdb
import pyarrow as pa

from stratagraph.config.sources import RecordedSource
from stratagraph.project import Project
from stratagraph.sources.catalog import has_catalog, loaded_columns
from stratagraph.sources.landing import landing_columns, nested_keys, open_landing
from stratagraph.sources.names import dataset_name
from stratagraph.sources.recorded.series import ROOT
from stratagraph.sources.rowlog import LandedTable
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier
from stratagraph.temporal.tombstones import LAYER, Tombstones, erased_in, prepare_tokens
from stratagraph.transactions import transaction

_DOCUMENTS = {"documents": "document_id", "turns": "document_id", "refused": "scope"}


def clear_landing(project: Project) -> None:
    """Take everything erased out of the landing file: documents, rows and their log, records of all versions."""
    erased = erased_in(project)
    if not erased.tokens or not project.landing.exists():
        return
    with open_landing(project) as connection:
        _register(connection, erased)
        with transaction(connection):
            for (table,) in connection.execute(load_sql(LAYER, "select_landing_tables")).fetchall():
                names = {"table": qualified("documents", table), "column": quote_identifier(_DOCUMENTS[table])}
                connection.execute(load_sql(LAYER, "delete_landing", **names), {"secret": erased.secret})
            _clear_row_log(connection, erased)
            clear_landed_rows(connection, erased)
            for source, config in project.config.sources.items():
                if isinstance(config, RecordedSource):
                    clear_records(connection, erased, source, config)


def drop_erased_rows(
    connection: duckdb.DuckDBPyConnection, erased: Tombstones, source: str, tables: Sequence[LandedTable]
) -> None:
    """Drop from `current_rows` what is erased of some tables, before the row log hears of it."""
    if not erased.tokens:
        return
    _register(connection, erased)
    roots = {table.name: table for table in tables if len(table.path) == 1}
    for table in tables:
        root = roots.get(table.path[0])
        key, lists = root.key if root else (), table.path[1:]
        names = [json.dumps(name, ensure_ascii=False) for name in (*(key or ("row", "occurrence")), *lists)]
        values = {"secret": erased.secret, "source": source, "table": table.name, "names": names}
        # A row without a key is known by `#`, its hash and its number.
        where = {"first": 1 if key else 2, "keyed": bool(key) and not lists}
        connection.execute(load_sql(LAYER, "insert_erased_rows"), values | where)
    connection.execute(load_sql(LAYER, "delete_current_rows"))


def clear_records(connection: duckdb.DuckDBPyConnection, erased: Tombstones, source: str, config: RecordedSource) -> None:
    """Take erased records out of dlt's tables of a recorded source, with what is nested in them."""
    if not erased.tokens or not has_catalog(connection):
        return
    _register(connection, erased)
    columns = {column.name: column for column in loaded_columns(connection, source) if column.table == ROOT}
    fields = list(dict.fromkeys(field for key in config.identifying for field in key if field in columns))
    dataset = dataset_name(source)
    if not fields or columns[fields[0]].landing_table not in landing_columns(connection, dataset):
        return
    table = qualified(dataset, columns[fields[0]].landing_table)
    landed = ", ".join(qualified("landed", columns[field].landing_column) for field in fields)
    keys = [[field for field in key if field in columns] for key in config.identifying]
    indexes = [[fields.index(field) + 1 for field in key] for key in keys]
    values = {"secret": erased.secret, "source": source, "names": keys, "indexes": indexes}
    connection.execute(load_sql(LAYER, "delete_landed_records", table=table, fields=landed), values)
    for key in sorted(nested_keys(connection, source, dataset, ROOT), key=lambda key: len(key.table)):
        names = {"child": qualified(dataset, key.table), "parent": qualified(dataset, key.referenced_table)}
        connection.execute(load_sql("sources", "delete_orphans", **names))


def _clear_row_log(connection: duckdb.DuckDBPyConnection, erased: Tombstones) -> None:
    connection.execute(load_sql(LAYER, "create_erased_rows"), {"secret": erased.secret})
    connection.execute(load_sql(LAYER, "delete_row_log"))


def clear_landed_rows(connection: duckdb.DuckDBPyConnection, erased: Tombstones) -> None:
    """Take the rows that were found to be erased out of dlt's tables, which hold what the last load brought.

    A table whose rows no key of its own tells apart is emptied: the row log has what is known of it.
    """
    if not erased.tokens:
        return
    for source, name, schema, table, columns in connection.execute(load_sql(LAYER, "select_erased_tables")).fetchall():
        landed = landing_columns(connection, schema).get(table, {})
        if not set(columns) <= landed.keys():
            continue
        cells = ", ".join(f"CAST({quote_identifier(column)} AS VARCHAR)" for column in columns)
        statement = load_sql(LAYER, "delete_landed_rows", table=qualified(schema, table), cells=cells)
        connection.execute(statement, {"source": source, "name": name})
    for schema, table in connection.execute(load_sql(LAYER, "select_emptied_tables")).fetchall():
        if table in landing_columns(connection, schema):
            connection.execute(load_sql(LAYER, "delete_landed_table", table=qualified(schema, table)))


def start_erasing(connection: duckdb.DuckDBPyConnection, erased: Tombstones) -> None:
    """Begin a load in which nothing was found to be erased yet."""
    if erased.tokens:
        connection.execute(load_sql(LAYER, "create_no_erased_rows"))


def _register(connection: duckdb.DuckDBPyConnection, erased: Tombstones) -> None:
    prepare_tokens(connection)
    rows = [{"kind": kind, "token": token} for kind, token in sorted(erased.tokens)]
    connection.register("tombstones", pa.Table.from_pylist(rows, pa.schema({"kind": pa.string(), "token": pa.binary()})))
