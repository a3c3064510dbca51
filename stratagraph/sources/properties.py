"""Which property each column of the sources' tables became, and what XSD datatype its values have: `graph.properties`.

What was loaded is read from the landing file; no database is opened here. The datatypes of types are in `datatypes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import duckdb
import pyarrow as pa

from stratagraph.config.sources import TableMapping, TableSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import last_load, loaded_columns, loaded_tables
from stratagraph.sources.datatypes import datatype_of, padded_width
from stratagraph.sources.names import iri_safe, table_iri
from stratagraph.sqlfiles import load_sql
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

LAYER = "sources"
STAGE = "properties"
VERSION = 1  # of how types become datatypes

_TEXT = pa.string()
_SCHEMA = pa.schema(
    {"dataset": _TEXT, "source": _TEXT, "table_name": _TEXT, "column_name": _TEXT, "property": _TEXT, "datatype": _TEXT}
)


@dataclass(frozen=True)
class ColumnProperty:
    """A column and what it became.

    Args:
        datatype: IRI of an XSD datatype; None where each value says itself what it is.
        width: of a text of a fixed length, as the source has it.
    """

    table: str
    column: str
    property: str
    datatype: str | None
    width: int | None


@dataclass(frozen=True)
class PropertiesResult:
    """Properties that columns became; `typed`: those whose datatype is known."""

    changed: bool
    properties: int
    typed: int

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


def column_properties(
    project: Project, landing: duckdb.DuckDBPyConnection, source: str, config: TableSource
) -> Iterator[ColumnProperty]:
    """The columns of a loaded source, by the IRIs that its statements use."""
    types = {(column.table, column.name): column.type for column in loaded_columns(landing, source)}
    for table in loaded_tables(landing, source):
        mapping = config.mapping.get(table.name, TableMapping())
        for column in table.columns:
            if column in mapping.ignore:
                continue
            own = f"{table_iri(project, source, table.name)}#{iri_safe(table.known_as.get(column, column))}"
            iri = project.expand(mapping.properties[column]) if column in mapping.properties else own
            declared = types[table.name, column]
            yield ColumnProperty(table.name, column, iri, datatype_of(declared), padded_width(declared))


def update_properties(project: Project) -> PropertiesResult:
    """Bring `graph.properties` up to date with the landing file."""
    dataset = {"dataset": project.config.dataset}
    # Where nothing is declared, as in a project of documents alone, there need not be a landing file yet.
    with project.landing_connection(read_only=project.landing.exists()) as landing:
        found = list(_properties(project, landing))
    wanted = fingerprint(VERSION, *(value for row in found for value in row.values()))
    counts = _counts_if_current(project, wanted)
    if counts is not None:
        return PropertiesResult(False, *counts)
    with project.write() as connection:
        connection.register("column_properties", pa.Table.from_pylist(found, schema=_SCHEMA))
        with transaction(connection):
            connection.execute(load_sql(LAYER, "delete_column_properties"), dataset)
            connection.execute(load_sql(LAYER, "insert_column_properties"))
            write_watermark(connection, project, STAGE, wanted)
        row = connection.execute(load_sql(LAYER, "count_column_properties"), dataset).fetchone()
    assert row is not None
    return PropertiesResult(True, *row)


def _properties(project: Project, landing: duckdb.DuckDBPyConnection) -> Iterator[dict[str, str | None]]:
    for source, config in sorted(project.config.sources.items()):
        if not isinstance(config, TableSource):
            continue
        if last_load(landing, source) is None:
            raise SourceError("the source was not loaded yet", where=f"sources.{source}", hint="load the sources first")
        for column in column_properties(project, landing, source, config):
            yield {
                "dataset": project.config.dataset, "source": source, "table_name": column.table, "column_name": column.column,
                "property": column.property, "datatype": column.datatype,
            }  # fmt: skip


def _counts_if_current(project: Project, wanted: str) -> tuple[int, ...] | None:
    """What the warehouse has, if it has consumed this input already."""
    if not project.warehouse.exists():
        return None
    with project.read() as connection:
        if read_watermark(connection, project, STAGE) != wanted:
            return None
        query = load_sql(LAYER, "count_column_properties")
        return connection.execute(query, {"dataset": project.config.dataset}).fetchone()
