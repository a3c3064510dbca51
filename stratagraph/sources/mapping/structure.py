"""What is known of a source's tables before its rows are looked at: from its last load, or straight from a database.

Reads; loads nothing. What follows from it for rows is `mapping/tables.py`.
"""

from __future__ import annotations

import duckdb

from stratagraph.config.sources import RecordedSource, SqlSource, TableSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.catalog import ForeignKey, Table, has_catalog, last_load, loaded_tables, primary_keys
from stratagraph.sources.keys.known import known_keys, links_of
from stratagraph.sources.keys.text import parse_key
from stratagraph.sources.mapping.tables import Structure


def table_sources(project: Project, name: str | None = None) -> dict[str, TableSource]:
    """The sources of tables, or one of them."""
    found: dict[str, TableSource] = {
        source: config for source, config in project.config.sources.items() if isinstance(config, TableSource)
    }
    if name is None:
        return found
    if name in found:
        return {name: found[name]}
    if isinstance(project.config.sources.get(name), RecordedSource):
        raise SourceError(f"{name!r} is a recorded source: its mapping names fields of records", where=f"sources.{name}")
    raise SourceError(f"there is no source {name!r}", hint=f"the sources of tables are: {', '.join(sorted(found)) or '(none)'}")


def loaded_structure(project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: TableSource) -> Structure:
    """What the landing file knows of a source."""
    tables = {table.name: table for table in loaded_tables(connection, source)}
    keys = [key for key in known_keys(connection, source, config) if key.table in tables]
    return Structure(project, source, config, tables, keys, primary_keys(connection, source))


def known_structure(project: Project, name: str, config: TableSource) -> Structure:
    """Tables, columns and keys of a source: as they were loaded last, else what the database itself says."""
    if project.landing.exists():
        with project.landing_connection() as connection:
            if has_catalog(connection) and last_load(connection, name) is not None:
                return loaded_structure(project, connection, name, config)
    if not isinstance(config, SqlSource):
        raise SourceError(
            "the source was not loaded yet, and only a database tells its columns before that",
            where=f"sources.{name}",
            hint="run `stratagraph build`",
        )
    return _declared(project, name, config)


def _declared(project: Project, name: str, config: SqlSource) -> Structure:
    """What the inspector of a database says, with the keys that the config adds to it."""
    from stratagraph.sources.load import reader_of
    from stratagraph.sources.read.reader import Since

    with reader_of(project, name, config).open(Since()) as opened:
        columns, identifiers, keys = list(opened.columns()), opened.identifiers, list(opened.foreign_keys)
    keys += [
        ForeignKey(str(key), key.table, key.columns, key.referenced_table, key.referenced_columns, "configured")
        for key in (parse_key(text, f"sources.{name}.keys") for text in config.keys)
    ]
    denied = {parse_key(text, f"sources.{name}.not_keys").links for text in config.not_keys}
    keys = [key for key in keys if links_of(key) not in denied]
    primary = {key.table: key.columns for key in identifiers if key.kind == "primary"}
    primary |= {table: tuple(load.key) for table, load in config.load.items() if load.key}
    names: dict[str, list[str]] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for column in sorted(columns, key=lambda column: (column.table, column.position)):
        names.setdefault(column.table_name, []).append(column.name)
        paths[column.table_name] = column.table
    tables = {
        table: Table(table, tuple(found), tuple(primary.get(table, ())), paths[table]) for table, found in sorted(names.items())
    }
    return Structure(project, name, config, tables, keys, primary)
