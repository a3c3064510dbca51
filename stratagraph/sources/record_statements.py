"""The records of a recorded source as statements: nodes by their identifying keys, edges by the items of nested lists.

Works on dlt's landing tables, all wanted versions at once, in SQL; only parameters and column names are put together here.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.catalog import LandedColumn, loaded_columns
from stratagraph.sources.names import dataset_name
from stratagraph.sources.record_mapping import item_plan, record_plan
from stratagraph.sources.recorded import ROOT
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

LAYER = "sources"


def prepare_records(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: RecordedSource, files: Sequence[str]
) -> None:
    """Fill the temporary tables `records`, `items` and `problems` from some versions of a source."""
    columns = {(column.table, column.name): column for column in loaded_columns(connection, source)}
    where = f"sources.{source}.mapping"
    plan = record_plan(project, source, config.mapping)
    if not any((ROOT, key) in columns for key in config.mapping.keys):
        known = ", ".join(name for table, name in sorted(columns) if table == ROOT)
        raise ConfigError("no record has any of the identifying fields", where=f"{where}.keys", hint=f"the fields are: {known}")
    connection.register("wanted", pa.table({"file": pa.array(list(files), pa.string())}))
    identifiers = {"table": qualified(dataset_name(source), ROOT), "fields": _fields(columns, ROOT, plan.fields)}
    connection.execute(load_sql(LAYER, "create_records", **identifiers), plan.parameters)
    connection.unregister("wanted")
    connection.execute(load_sql(LAYER, "create_items"))
    for edge in config.mapping.edges:
        table = f"{ROOT}.{edge.each}"
        landed = next((column.landing_table for (name, _), column in columns.items() if name == table), None)
        if landed is None:
            lists = sorted({name.removeprefix(f"{ROOT}.") for name, _ in columns if name != ROOT})
            raise ConfigError(
                f"no record has a list {edge.each!r}", where=f"{where}.edges", hint=f"the lists are: {', '.join(lists)}"
            )
        item = item_plan(project, source, edge)
        identifiers = {"table": qualified(dataset_name(source), landed), "fields": _fields(columns, table, item.fields)}
        connection.execute(load_sql(LAYER, "insert_items", **identifiers), item.parameters)
    connection.execute(load_sql(LAYER, "insert_record_problems"), {"source": source})


def _fields(columns: dict[tuple[str, str], LandedColumn], table: str, fields: Sequence[str]) -> str:
    """The landing columns of some fields; NULL for a field that no version has."""
    found = (columns.get((table, field)) for field in fields)
    return ", ".join(quote_identifier(column.landing_column) if column else "NULL" for column in found)


def version_statements(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, file: str
) -> duckdb.DuckDBPyRelation:
    """All statements of one prepared version."""
    parameters = {"dataset": project.config.dataset, "source": source, "file": file}
    return connection.sql(load_sql(LAYER, "select_record_statements"), params=parameters)


def version_links(project: Project, connection: duckdb.DuckDBPyConnection, file: str) -> duckdb.DuckDBPyRelation:
    """The identifying keys of one prepared version that belong together."""
    return connection.sql(load_sql(LAYER, "select_record_links"), params={"dataset": project.config.dataset, "file": file})
