"""The foreign keys of a source that are used: declared, nested, as the config says, and inferred with certainty.

The user's word goes first: `keys` hold whatever was inferred, `not_keys` don't even if the source declares them. Nothing is
inferred here, and no rows are read.
"""

from __future__ import annotations

import duckdb

from stratagraph.config.sources import RecordedSource, Source, TableSource
from stratagraph.project import fingerprint
from stratagraph.sources.catalog import ForeignKey, foreign_keys, inferred_keys, loaded_tables, primary_keys
from stratagraph.sources.keys.text import KeyText, parse_key
from stratagraph.sources.names import refuse_unknown


def known_keys(connection: duckdb.DuckDBPyConnection, source: str, config: Source | TableSource) -> list[ForeignKey]:
    """The foreign keys of a loaded source that are used, each once. Recorded versions have those of their nested lists.

    Raises:
        ConfigError: `keys` or `not_keys` name a table or column that the source does not have.
    """
    if isinstance(config, RecordedSource):
        return foreign_keys(connection, source)
    columns = {table.name: table.columns for table in loaded_tables(connection, source)}
    said = [_checked(text, columns, f"sources.{source}.keys") for text in config.keys]
    denied = {_checked(text, columns, f"sources.{source}.not_keys").links for text in config.not_keys}
    configured = [
        ForeignKey(str(key), key.table, key.columns, key.referenced_table, key.referenced_columns, "configured") for key in said
    ]
    inferred = [key for key in inferred_keys(connection, source) if key.used] if _infers(connection, source, config) else []
    found: dict[object, ForeignKey] = {}
    for key in [*foreign_keys(connection, source), *configured, *inferred]:
        links = links_of(key)
        if links not in denied:
            found.setdefault(links, key)
    return sorted(found.values(), key=lambda key: (key.table, key.columns, key.referenced_table, key.name))


def structure_fingerprint(connection: duckdb.DuckDBPyConnection, source: str, config: Source | TableSource) -> str:
    """Of the structure of a source as far as it decides what its rows mean."""
    tables, keys = loaded_tables(connection, source), known_keys(connection, source, config)
    return fingerprint(tables, keys, sorted(primary_keys(connection, source).items()))


def _infers(connection: duckdb.DuckDBPyConnection, source: str, config: TableSource) -> bool:
    if config.infer_keys is not None:
        return config.infer_keys
    return not any(key.origin == "declared" for key in foreign_keys(connection, source))


def links_of(key: ForeignKey) -> object:
    """What makes two keys the same, whatever the order of their columns."""
    if key.origin == "nested":
        return key.table, key.referenced_table, key.columns
    return key.table, key.referenced_table, frozenset(zip(key.columns, key.referenced_columns, strict=True))


def _checked(text: str, columns: dict[str, tuple[str, ...]], where: str) -> KeyText:
    """The key that a text says, if the source has its tables and columns."""
    key = parse_key(text, where)
    for table, named in ((key.table, key.columns), (key.referenced_table, key.referenced_columns)):
        refuse_unknown([table], columns, f"{text!r}: there is no table", where)
        refuse_unknown(named, columns[table], f"{text!r}: {table} has no column", where)
    return key
