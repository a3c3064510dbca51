"""Reads a relational database: opens it, reflects its tables and keys, and offers its tables as dlt resources.

Foreign keys come from SQLAlchemy's inspector, because dlt's own reflection folds two keys to one table into one.
What becomes of the rows is not known here. No password ever leaves this module in a message.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote_plus

import sqlalchemy as sa
from sqlalchemy.engine import Engine, Inspector, make_url
from sqlalchemy.exc import SQLAlchemyError

from stratagraph.config.sources import SqlSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.catalog import JSON_TEXT, ForeignKey


@dataclass(frozen=True)
class Column:
    """A column of a source table."""

    table: str
    name: str
    type: str
    position: int


@dataclass(frozen=True)
class Identifier:
    """A primary or unique key of a table."""

    table: str
    kind: str
    columns: tuple[str, ...]

    @property
    def primary(self) -> bool:
        return self.kind == "primary"


@dataclass(frozen=True)
class Reflection:
    """What the inspector says of the tables to load, and of the keys of all tables."""

    tables: tuple[str, ...]
    columns: tuple[Column, ...]
    identifiers: tuple[Identifier, ...]
    foreign_keys: tuple[ForeignKey, ...]
    metadata: sa.MetaData

    def identifier_rows(self) -> list[dict[str, Any]]:
        return [{"table_name": key.table, "kind": key.kind, "columns": key.columns} for key in self.identifiers]

    def foreign_key_rows(self) -> list[dict[str, Any]]:
        return [
            {"name": key.name, "table_name": key.table, "columns": key.columns, "origin": key.origin}
            | {"referenced_table": key.referenced_table, "referenced_columns": key.referenced_columns}
            for key in self.foreign_keys
        ]


class _StoredText(sa.String):
    """Text as a SQLite file stores it. SQLite doesn't enforce types: a DATETIME column may hold anything."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        return None


class _StoredValue(sa.String):
    """Whatever a SQLite file stores, as JSON text: whole numbers of any size, text that looks like one, bytes by their hash."""

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], str | None]:
        return _as_json


class _AnyDecimal(sa.types.TypeDecorator[str]):
    """A number without a declared precision, as JSON text: a landing column would have to round it."""

    impl = sa.Numeric
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        if value is None:
            return None
        return format(value, "f") if Decimal(value).is_finite() else json.dumps(str(value))


def _as_json(value: Any) -> str | None:
    if isinstance(value, bytes):
        return json.dumps({"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()})
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(str(value))
    return None if value is None else json.dumps(value)


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
            hint = "install the driver of the database, such as stratagraph[postgres]"
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

    def reflect(self, engine: Engine) -> Reflection:
        """Tables (no views) that are wanted, their columns, and the keys of all tables of the schema."""
        inspector = sa.inspect(engine)
        present = sorted(inspector.get_table_names(schema=self.config.schema_))
        tables = self._wanted(present)
        metadata = sa.MetaData(schema=self.config.schema_)
        metadata.reflect(engine, only=tables, views=False, resolve_fks=False)
        columns = []
        for table in tables:
            for position, column in enumerate(metadata.tables[self._key(table)].columns):
                column.nullable = True  # dlt would refuse what SQLite lets in: a NULL in a primary key
                column.type = _exact(column.type) if self.file is None else _stored(column.type)
                kind = JSON_TEXT if isinstance(column.type, (_StoredValue, _AnyDecimal)) else repr(column.type)
                columns.append(Column(table, column.name, kind, position))
        identifiers = self._identifiers(inspector, present)
        keys = self._foreign_keys(inspector, tables, present, identifiers)
        return Reflection(tuple(tables), tuple(columns), tuple(identifiers), tuple(keys), metadata)

    def _key(self, table: str) -> str:
        return f"{self.config.schema_}.{table}" if self.config.schema_ else table

    def _wanted(self, present: list[str]) -> list[str]:
        asked = self.config.tables if self.config.tables is not None else present
        unknown = sorted({*asked, *self.config.exclude} - set(present))
        if unknown:
            raise SourceError(
                f"no such table: {', '.join(unknown)}",
                where=self.where,
                hint=f"the tables are: {', '.join(present) or '(none)'}",
            )
        wanted = sorted(set(asked) - set(self.config.exclude))
        if not wanted:
            raise SourceError(
                "there is no table to load", where=self.where, hint=f"the tables are: {', '.join(present) or '(none)'}"
            )
        return wanted

    def _identifiers(self, inspector: Inspector, present: list[str]) -> list[Identifier]:
        schema = self.config.schema_
        found = set()
        for (_, table), primary in inspector.get_multi_pk_constraint(schema=schema, filter_names=present).items():
            if primary and primary["constrained_columns"]:
                found.add(Identifier(table, "primary", tuple(primary["constrained_columns"])))
        for (_, table), constraints in inspector.get_multi_unique_constraints(schema=schema, filter_names=present).items():
            found |= {Identifier(table, "unique", tuple(constraint["column_names"])) for constraint in constraints}
        for (_, table), indexes in inspector.get_multi_indexes(schema=schema, filter_names=present).items():
            for index in indexes:
                if index["unique"] and all(index["column_names"]):
                    found.add(Identifier(table, "unique", tuple(str(column) for column in index["column_names"])))
        return sorted(found, key=lambda key: (key.table, key.kind, key.columns))

    def _foreign_keys(
        self, inspector: Inspector, tables: list[str], present: list[str], identifiers: list[Identifier]
    ) -> list[ForeignKey]:
        primary = {key.table: key.columns for key in identifiers if key.primary}
        folded = {name.casefold(): name for name in present} if self.file is not None else {}
        found = []
        for (_, table), constraints in inspector.get_multi_foreign_keys(
            schema=self.config.schema_, filter_names=tables
        ).items():
            for constraint in constraints:
                other_schema, referenced = constraint["referred_schema"], constraint["referred_table"]
                if other_schema is not None and other_schema != self.config.schema_:
                    referenced = f"{other_schema}.{referenced}"
                elif referenced not in present:
                    referenced = folded.get(referenced.casefold(), referenced)  # SQLite ignores case in names
                columns = tuple(constraint["constrained_columns"])
                targets = tuple(constraint["referred_columns"]) or primary.get(referenced, columns)
                if self.file is not None:
                    spelled = {name.casefold(): name for name in self._column_names(inspector, referenced, present)}
                    targets = tuple(spelled.get(name.casefold(), name) for name in targets)
                name = constraint["name"] or f"{table}({', '.join(columns)})->{referenced}({', '.join(targets)})"
                found.append(ForeignKey(name, table, columns, referenced, targets))
        return sorted(set(found), key=lambda key: (key.table, key.columns, key.referenced_table, key.name))

    def _column_names(self, inspector: Inspector, table: str, present: list[str]) -> list[str]:
        return [column["name"] for column in inspector.get_columns(table)] if table in present else []


def table_resources(engine: Engine, reflection: Reflection) -> list[Any]:
    """The reflected tables as dlt resources. Nested values stay JSON: a database's structure is its tables."""
    from dlt.sources.sql_database import sql_table

    resources = []
    for table in reflection.tables:
        resource = sql_table(
            engine,
            table=table,
            metadata=reflection.metadata,
            write_disposition="replace",
            type_adapter_callback=_landing_type,
        )
        resource.max_table_nesting = 0
        resources.append(resource)
    return resources


def _stored(declared: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """The type to read a SQLite column with, so that no value is parsed, and none fails to be."""
    if isinstance(declared, (sa.Integer, sa.Boolean)):
        return declared
    if isinstance(declared, sa.Float):
        return sa.Float()
    if isinstance(declared, (sa.Numeric, sa.LargeBinary, sa.types.NullType)):
        return _StoredValue()
    return _StoredText()


def _exact(declared: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """The type to read a server's column with."""
    unbounded = isinstance(declared, sa.Numeric) and declared.asdecimal and declared.precision is None
    return _AnyDecimal() if unbounded else declared


def _landing_type(declared: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any] | None:
    """The type dlt derives the landing column from; None: from the values."""
    if isinstance(declared, _AnyDecimal):
        return sa.String()
    if isinstance(declared, sa.Float) and not declared.asdecimal:
        return sa.Numeric(asdecimal=False)
    return declared


def _uri_path(file: Path) -> str:
    return str(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
