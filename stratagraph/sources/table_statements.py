"""The rows of a source of tables as statements: nodes by their primary keys, edges by their foreign keys (W3C Direct Mapping).

Works on the row log of the landing file, table by table, in SQL; what stands in it is put together in `mapping/tables.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb

from stratagraph.config.sources import TableSource
from stratagraph.project import Project
from stratagraph.sources.catalog import ForeignKey, Table
from stratagraph.sources.mapping.checks import check_mapping
from stratagraph.sources.mapping.ranges import ontology_of, value_ranges
from stratagraph.sources.mapping.structure import loaded_structure
from stratagraph.sources.mapping.tables import (
    Query,
    Structure,
    edge_query,
    entity_query,
    follows,
    link_ends,
    link_predicate,
    link_query,
    missing_query,
    shared_predicates,
    target_query,
)
from stratagraph.sqlfiles import load_sql

LAYER = "sources"


def prepare_tables(project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: TableSource | None) -> None:
    """Fill the temporary tables `entities`, `edges` and `problems` with all rows of a source; without a config, with none."""
    connection.execute(load_sql(LAYER, "create_entities"))
    connection.execute(load_sql(LAYER, "create_edges"))
    if config is None:
        return
    structure = loaded_structure(project, connection, source, config)
    ontology = ontology_of(project, config)
    check_mapping(structure, ontology)
    if ontology is not None:
        structure = replace(structure, ranges=value_ranges(project, config, ontology))
    for table in structure.tables.values():
        _insert_entities(connection, structure, table)
        if structure.mapping(table.name).ref is not None:
            connection.execute(load_sql(LAYER, "update_ambiguous_refs"), {"table": table.name})
    connection.execute(load_sql(LAYER, "insert_row_problems"), {"source": source})
    connection.execute(load_sql(LAYER, "insert_value_problems"), {"source": source})
    links = [name for name in structure.tables if structure.mapping(name).edge is not None]
    keys = [key for key in structure.keys if key.table not in links]
    for place, key in enumerate(keys):
        _insert_edges(connection, structure, key, place)
    for place, name in enumerate(links, start=len(keys)):
        _insert_links(connection, structure, name, place)
    for name in structure.tables:
        if predicates := shared_predicates(structure, name):
            shared = {"table": name, "predicates": predicates}
            connection.execute(load_sql(LAYER, "create_settled"), shared)
            connection.execute(load_sql(LAYER, "delete_settled"), shared)
            connection.execute(load_sql(LAYER, "insert_settled"))


def _insert_entities(connection: duckdb.DuckDBPyConnection, structure: Structure, table: Table) -> None:
    query = entity_query(structure, table)
    place = {"source": structure.source, "table": table.name}
    row = connection.execute(load_sql(LAYER, "select_has_changed_rows"), place).fetchone()
    if row is not None and row[0]:
        states = load_sql(LAYER, "select_all_states", updated=query.identifiers["updated"])
        dated = {"dated": structure.mapping(table.name).updated_at is not None}
        _run(connection, "insert_entities", query.with_(dated, query=states, order="ORDER BY number"))
    else:
        _run(connection, "insert_entities", query.with_(query=load_sql(LAYER, "select_first_states"), order=""))


def _insert_edges(connection: duckdb.DuckDBPyConnection, structure: Structure, key: ForeignKey, place: int) -> None:
    _run(connection, "create_targets", target_query(structure, key))
    _run(connection, "insert_edges", edge_query(structure, key, place))
    if not follows(structure, key):
        _run(connection, "insert_missing_targets", missing_query(structure, key))


def _insert_links(connection: duckdb.DuckDBPyConnection, structure: Structure, table: str, place: int) -> None:
    """The edges that the rows of a table are."""
    ends = link_ends(structure, table)
    for key, name in zip(ends, ("targets", "object_targets"), strict=True):
        _run(connection, "create_targets", target_query(structure, key, name))
    _run(connection, "create_links", link_query(structure, ends))
    parameters = {"place": place, "table": table, "predicate": link_predicate(structure, table)}
    connection.execute(load_sql(LAYER, "insert_links"), parameters)
    names: dict[str, Any] = {"subject_name": ends[0].name, "object_name": ends[1].name}
    connection.execute(load_sql(LAYER, "insert_link_problems"), names | {"source": structure.source, "table": table})


def _run(connection: duckdb.DuckDBPyConnection, name: str, query: Query) -> None:
    connection.execute(load_sql(LAYER, name, **query.identifiers), query.parameters)


def table_statements(project: Project, connection: duckdb.DuckDBPyConnection, source: str) -> duckdb.DuckDBPyRelation:
    """All statements of the prepared source."""
    parameters = {"dataset": project.config.dataset, "source": source}
    return connection.sql(load_sql(LAYER, "select_row_statements"), params=parameters)
