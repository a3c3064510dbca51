"""Reads a relational database: opens it, reflects its tables and keys, and offers its tables as dlt resources.

Foreign keys come from SQLAlchemy's inspector, because dlt's own reflection folds two keys to one table into one.
What becomes of the rows is not known here. No password ever leaves this module in a message.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote_plus

import sqlalchemy as sa
from sqlalchemy.engine import Engine, Inspector, make_url
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from stratagraph.config.sources import SqlSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import ForeignKey
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.database_types import (
    is_encoded,
    keep_times,
    landing_type,
    readable,
    stored,
    type_name,
    without_domain,
)
from stratagraph.sources.read.reader import Column, Identifier, Opened, Since
from stratagraph.sqlfiles import load_sql

VERSION = 2  # of how a database is read; a change loads again
# What a URL without a driver means: those that our extras bring. SQLAlchemy's own defaults differ by its version.
_DRIVERS = {"postgresql": "psycopg2", "mysql": "pymysql", "mariadb": "pymysql"}


@dataclass(frozen=True)
class Database:
    """A source's database and how it is called in messages (without its password)."""

    name: str
    config: SqlSource
    url: sa.URL
    file: Path | None

    @classmethod
    def of(cls, project: Project, name: str, config: SqlSource) -> Database:
        """The database of a source. A SQLite file must exist: SQLite would create it, empty."""
        try:
            url = make_url(config.url)
        except (SQLAlchemyError, ValueError) as error:
            raise SourceError(
                "the url is not a SQLAlchemy URL",
                where=f"sources.{name}",
                hint="such as sqlite:///shop.db or postgresql://host/db",
            ) from error
        if url.drivername in _DRIVERS:
            url = url.set(drivername=f"{url.drivername}+{_DRIVERS[url.drivername]}")
        file = None
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
                raise SourceError("a SQLite source needs the path of a file", where=f"sources.{name}", hint="sqlite:///shop.db")
            file = project.resolve(url.database)
            if not file.is_file():
                raise SourceError("there is no such SQLite file", where=f"sources.{name}: {file}", hint="check the path in url")
            url = sa.URL.create(url.drivername, database=f"file:{_uri_path(file)}?mode=ro", query={"uri": "true"})
        return cls(name, config, url, file)

    @property
    def where(self) -> str:
        place = self.file or self.url.render_as_string(hide_password=True)
        return f"sources.{self.name}: {place}"

    def file_fingerprint(self) -> str | None:
        """Hash of a SQLite file and its write-ahead log; None for a server, whose content can't be told unread."""
        if self.file is None:
            return None
        parts = []
        for path in (self.file, self.file.with_name(self.file.name + "-wal")):
            if path.is_file() and path.stat().st_size:
                with path.open("rb") as stream:
                    parts.append(hashlib.file_digest(stream, "sha256").hexdigest())
        return "+".join(parts)

    @contextmanager
    def connect(self) -> Iterator[Engine]:
        """An engine that was tried once. Failures of the database in the body become one SourceError."""
        engine = None
        try:
            engine = sa.create_engine(self.url)
            if engine.driver == "psycopg2":
                sa.event.listen(engine, "connect", keep_times)
            with engine.connect():
                pass
            yield engine
        except (SQLAlchemyError, ImportError) as error:
            self._fail(error)
        finally:
            if engine is not None:
                engine.dispose()

    def _fail(self, error: Exception) -> NoReturn:
        if isinstance(error, ImportError):
            hint = "install the driver of the database, such as stratagraph[postgres] or stratagraph[mysql]"
            raise SourceError(f"the driver is missing: {error}", where=self.where, hint=hint) from error
        what = self.without_password(str(getattr(error, "orig", None) or error))
        # `from None`: the chained error may show the password.
        raise SourceError(
            f"the database cannot be read: {what}", where=self.where, hint="is it running and the url right?"
        ) from None

    def without_password(self, text: str) -> str:
        password = self.url.password
        for secret in {str(password), quote_plus(str(password))} if password else ():
            text = text.replace(secret, "***")
        return text


class DatabaseReader:
    """A database as a source of tables (see `reader.Reader`)."""

    def __init__(self, project: Project, name: str, config: SqlSource) -> None:
        self._database = Database.of(project, name, config)

    @property
    def where(self) -> str:
        return self._database.where

    def fingerprint(self) -> str | None:
        """Of a SQLite file and of the config; None for a server, which has to be read."""
        content = self._database.file_fingerprint()
        if content is None:
            return None
        config = self._database.config.model_dump_json(include={"url", "schema_", "tables", "exclude", "binary", "load"})
        return fingerprint(VERSION, config, content)

    @contextmanager
    def open(self, since: Since) -> Iterator[Opened]:
        """Reflect what is to be loaded. What dlt or the body says of the database shows no password."""
        database = self._database
        with database.connect() as engine:
            with warnings.catch_warnings():  # of types and clauses that SQLAlchemy doesn't know: they are read all the same
                warnings.simplefilter("ignore", SAWarning)
                reflected = _Reflection.of(engine, database)
            try:
                yield Opened(
                    resources=_resources(engine, reflected, since),
                    columns=lambda: reflected.columns,
                    identifiers=reflected.identifiers,
                    foreign_keys=reflected.foreign_keys,
                )
            except SourceError as error:
                place = error.where if error.where != dataset_name(database.name) else None
                # `from None`: what dlt chains may show the password.
                raise SourceError(
                    database.without_password(error.what), where=place or database.where, hint=error.hint
                ) from None


@dataclass(frozen=True)
class _Place:
    """A table to load. name: its own, behind its schema's where that is not the source's."""

    name: str
    schema: str | None
    table: str


@dataclass(frozen=True)
class _Reflection:
    """What the inspector says of the tables to load, and of the keys that concern them."""

    tables: tuple[tuple[str, sa.Table], ...]
    columns: tuple[Column, ...]
    identifiers: tuple[Identifier, ...]
    foreign_keys: tuple[ForeignKey, ...]

    @classmethod
    def of(cls, engine: Engine, database: Database) -> _Reflection:
        catalog = _Catalog(database, sa.inspect(engine))
        places = catalog.wanted()
        tables, columns = [], []
        for place, table in zip(places, _reflected(engine, places), strict=True):
            declared = catalog.declared_types(engine, table)
            for position, column in enumerate(table.columns):
                column.nullable = True  # dlt would refuse what SQLite lets in: a NULL in a primary key
                plain = without_domain(column.type)
                name = declared[column.name] if database.file else type_name(engine, plain)
                column.type = stored(plain, database.config.binary) if database.file else readable(plain, engine.dialect.name)
                encoded = is_encoded(column.type)
                columns.append(Column((place.name,), (column.name,), name, position, encoded))
            tables.append((place.name, table))
        keys = catalog.foreign_keys(places)
        return cls(tuple(tables), tuple(columns), tuple(catalog.identifiers(keys)), tuple(keys))


def _reflected(engine: Engine, places: Iterable[_Place]) -> list[sa.Table]:
    """The tables as SQLAlchemy knows them, each schema in one go. Views are none."""
    metadata: dict[str | None, sa.MetaData] = {}
    places = list(places)
    for schema in dict.fromkeys(place.schema for place in places):
        metadata[schema] = sa.MetaData(schema=schema)
        only = [place.table for place in places if place.schema == schema]
        metadata[schema].reflect(engine, only=only, views=False, resolve_fks=False)
    return [metadata[place.schema].tables[f"{place.schema}.{place.table}" if place.schema else place.table] for place in places]


class _Catalog:
    """What the inspector says, by the names that a source calls its tables.

    Args:
        own: schema of the source; its tables go by their bare names.
    """

    def __init__(self, database: Database, inspector: Inspector) -> None:
        self._database = database
        self._inspector = inspector
        self._own = database.config.schema_
        self._present = sorted(inspector.get_table_names(schema=self._own))
        self._folds = database.file is not None  # SQLite ignores case in names
        self._spelled: dict[str, dict[str, str]] = {}

    def wanted(self) -> list[_Place]:
        """The tables to load: no views; of another schema only if they are named, as `schema.table`."""
        config, present = self._database.config, self._present
        asked = config.tables if config.tables is not None else sorted(set(present) - self._partitions())
        places = {name: self._place(name) for name in {*asked, *config.exclude}}
        unknown = sorted(name for name, place in places.items() if place is None)
        hint = f"the tables are: {', '.join(present) or '(none)'}"
        if unknown:
            raise SourceError(f"no such table: {', '.join(unknown)}", where=self._database.where, hint=hint)
        wanted = [place for name in sorted(set(asked) - set(config.exclude)) if (place := places[name]) is not None]
        if not wanted:
            raise SourceError("there is no table to load", where=self._database.where, hint=hint)
        return wanted

    def _partitions(self) -> set[str]:
        """The parts of PostgreSQL's partitioned tables: their rows are rows of the whole."""
        if self._inspector.dialect.name != "postgresql":
            return set()
        tables = sa.table("pg_class", sa.column("relname"), sa.column("relnamespace"), sa.column("relispartition"))
        schemas = sa.table("pg_namespace", sa.column("oid"), sa.column("nspname"))
        query = (
            sa.select(tables.c.relname)
            .join(schemas, schemas.c.oid == tables.c.relnamespace)
            .where(tables.c.relispartition, schemas.c.nspname == (self._own or self._inspector.default_schema_name))
        )
        with self._inspector.engine.connect() as connection:
            return set(connection.scalars(query))

    def _place(self, name: str) -> _Place | None:
        if name in self._present:
            return _Place(name, self._own, name)
        schema, dot, table = name.partition(".")
        if not dot or self._folds or schema not in self._inspector.get_schema_names():
            return None
        if self._called(schema, table) != name or table not in self._inspector.get_table_names(schema=schema):
            return None
        return _Place(name, schema, table)

    def _called(self, schema: str | None, table: str) -> str:
        default = self._inspector.default_schema_name
        return table if (schema or default) == (self._own or default) else f"{schema or default}.{table}"

    def declared_types(self, engine: Engine, table: sa.Table) -> dict[str, str]:
        """Types of a SQLite table's columns as they were declared; SQLAlchemy keeps only what it knows."""
        if self._database.file is None:
            return {}
        with engine.connect() as connection:
            rows = connection.exec_driver_sql(load_sql("sources", "select_declared_types"), {"table": table.name}).all()
        return {str(name): str(declared) for name, declared in rows}

    def identifiers(self, keys: Iterable[ForeignKey]) -> list[Identifier]:
        """Primary and unique keys of the source's schema, and of tables elsewhere that keys refer to."""
        found = self._identifiers(self._own, self._present)
        elsewhere: dict[str, set[str]] = {}
        for key in keys:
            schema, dot, table = key.referenced_table.partition(".")
            if dot and key.referenced_table not in self._present:
                elsewhere.setdefault(schema, set()).add(table)
        for schema, tables in elsewhere.items():
            found |= self._identifiers(schema, sorted(tables))
        return sorted(found, key=lambda key: (key.table, key.kind, key.columns))

    def _identifiers(self, schema: str | None, tables: list[str]) -> set[Identifier]:
        found = set()
        inspector = self._inspector
        for (_, table), primary in inspector.get_multi_pk_constraint(schema=schema, filter_names=tables).items():
            if primary and primary["constrained_columns"]:
                found.add(self._identifier(schema, table, "primary", primary["constrained_columns"]))
        for (_, table), constraints in inspector.get_multi_unique_constraints(schema=schema, filter_names=tables).items():
            found |= {self._identifier(schema, table, "unique", constraint["column_names"]) for constraint in constraints}
        for (_, table), indexes in inspector.get_multi_indexes(schema=schema, filter_names=tables).items():
            for index in indexes:
                # An index on an expression, or on some of the rows only, identifies none of them.
                partial = any(name.endswith("_where") for name in index.get("dialect_options", {}))
                if index["unique"] and all(index["column_names"]) and not partial:
                    found.add(self._identifier(schema, table, "unique", [str(name) for name in index["column_names"]]))
        return found

    def _identifier(self, schema: str | None, table: str, kind: str, columns: Iterable[str]) -> Identifier:
        return Identifier(self._called(schema, table), kind, self._as_spelled(table, columns))

    def foreign_keys(self, places: list[_Place]) -> list[ForeignKey]:
        """Foreign keys of the tables to load, whatever they refer to."""
        found = set()
        for schema in dict.fromkeys(place.schema for place in places):
            tables = [place.table for place in places if place.schema == schema]
            for (_, table), constraints in self._inspector.get_multi_foreign_keys(schema=schema, filter_names=tables).items():
                found |= {self._foreign_key(schema, table, constraint) for constraint in constraints}
        return sorted(found, key=lambda key: (key.table, key.columns, key.referenced_table, key.name))

    def _foreign_key(self, schema: str | None, table: str, constraint: Any) -> ForeignKey:
        referenced, other = constraint["referred_table"], constraint["referred_schema"]
        if self._folds and referenced not in self._present:
            folded = {name.casefold(): name for name in self._present}
            referenced = folded.get(referenced.casefold(), referenced)
        columns = tuple(constraint["constrained_columns"])
        targets = tuple(constraint["referred_columns"])
        if not targets and referenced in self._present:  # `REFERENCES t` means its primary key
            targets = tuple(self._inspector.get_pk_constraint(referenced, schema=other)["constrained_columns"])
        targets = self._as_spelled(referenced, targets or columns)
        ours, theirs = self._called(schema, table), self._called(other, referenced)
        name = constraint["name"] or f"{ours}({', '.join(columns)})->{theirs}({', '.join(targets)})"
        return ForeignKey(name, ours, columns, theirs, targets)

    def _as_spelled(self, table: str, columns: Iterable[str]) -> tuple[str, ...]:
        """Columns as their table spells them; a key of a SQLite table may do so in another case."""
        if not self._folds or table not in self._present:
            return tuple(columns)
        if table not in self._spelled:
            names = [column["name"] for column in self._inspector.get_columns(table)]
            self._spelled[table] = {name.casefold(): name for name in names}
        return tuple(self._spelled[table].get(name.casefold(), name) for name in columns)


def _resources(engine: Engine, reflected: _Reflection, since: Since) -> list[Any]:
    """The reflected tables as dlt resources. Nested values stay JSON: a database's structure is its tables."""
    from dlt.sources.sql_database import sql_table

    resources = []
    for name, table in reflected.tables:
        resource = sql_table(
            engine,
            table=table.name,
            metadata=table.metadata,
            write_disposition="replace",
            type_adapter_callback=landing_type,
            query_adapter_callback=_rows_since(*since.cursors[name]) if name in since.cursors else None,
        )
        if resource.name != name:
            resource = resource.with_name(name)
        resource.max_table_nesting = 0
        resources.append(resource)
    return resources


def _rows_since(cursor: str, value: Any) -> Callable[[Any, sa.Table], Any]:
    """Adds to a query: only rows from a value of the cursor on. What has none may be new as well."""

    def adapt(query: Any, table: sa.Table) -> Any:
        column = table.columns[cursor]
        return query.where(sa.or_(column >= sa.literal(value), column.is_(None)))

    return adapt


def _uri_path(file: Path) -> str:
    return str(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
