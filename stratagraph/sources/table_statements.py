"""The rows of a database as statements: nodes by their primary keys, edges by their foreign keys (W3C Direct Mapping).

Works on the row log of the landing file, table by table, in SQL; only parameters are put together here.
"""

from __future__ import annotations

import duckdb

from stratagraph.config.sources import TableSource
from stratagraph.project import Project
from stratagraph.sources.catalog import foreign_keys, loaded_tables, primary_keys
from stratagraph.sources.mapping import check_mapping, edge_parameters, entity_parameters
from stratagraph.sqlfiles import load_sql

LAYER = "sources"


def prepare_tables(project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: TableSource | None) -> None:
    """Fill the temporary tables `entities`, `edges` and `problems` with all rows of a source; without a config, with none."""
    connection.execute(load_sql(LAYER, "create_entities"))
    connection.execute(load_sql(LAYER, "create_edges"))
    if config is None:
        return
    tables, keys, primary = (
        loaded_tables(connection, source),
        foreign_keys(connection, source),
        primary_keys(connection, source),
    )
    check_mapping(source, config, tables, keys)
    for table in tables:
        connection.execute(load_sql(LAYER, "insert_entities"), entity_parameters(project, source, config, table))
    connection.execute(load_sql(LAYER, "insert_row_problems"), {"source": source})
    for key in keys:
        parameters = edge_parameters(project, source, config, key, primary.get(key.referenced_table, ()))
        connection.execute(load_sql(LAYER, "insert_edges"), parameters)
        if not parameters["dangling_parts"]:
            wanted = {name: parameters[name] for name in ("table", "columns", "referenced_table", "referenced_columns")}
            connection.execute(load_sql(LAYER, "insert_missing_targets"), wanted | {"source": source, "name": key.name})


def table_statements(project: Project, connection: duckdb.DuckDBPyConnection, source: str) -> duckdb.DuckDBPyRelation:
    """All statements of the prepared source."""
    parameters = {"dataset": project.config.dataset, "source": source}
    return connection.sql(load_sql(LAYER, "select_row_statements"), params=parameters)
