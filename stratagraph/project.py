"""A project: a loaded `stratagraph.yaml`, where its files are, its clock, and access to its warehouse.

Every stage of the flow is a function that takes a `Project`. Opening DuckDB files happens here and nowhere else in the
pipeline, so that settings, locking errors and the schema are the same everywhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from stratagraph.config import Config, load_config
from stratagraph.errors import WarehouseError, causes
from stratagraph.sqlfiles import load_sql
from stratagraph.transactions import transaction

Clock = Callable[[], datetime]

SCHEMA_FILES = (
    "create_tables",
    "create_views",
    "create_interface",
    "create_integrity",
    "create_shortcuts",
    "create_macros",
    "create_erasure",
    "create_identity",
)
SCHEMA_VERSION = 4


def utc_now() -> datetime:
    """The present instant, UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Project:
    """A config and the place it was loaded from.

    Args:
        config: the checked config.
        root: folder of the config file; relative paths in the config start here.
        clock: gives the present instant (aware); the store derives transaction times from it.
    """

    config: Config
    root: Path
    clock: Clock = field(default=utc_now, compare=False)

    @classmethod
    def load(cls, path: str | Path, clock: Clock = utc_now) -> Project:
        """Load the project declared in a `stratagraph.yaml`."""
        file = Path(path).resolve()
        return cls(load_config(file), file.parent, clock)

    def resolve(self, path: str | Path) -> Path:
        """Absolute path of a path in the config."""
        return (self.root / path).resolve()

    @property
    def data_dir(self) -> Path:
        return self.resolve(os.environ.get("STRATAGRAPH_DATA_DIR", self.config.data_dir))

    @property
    def landing(self) -> Path:
        """dlt's destination."""
        return self.data_dir / "landing.duckdb"

    @property
    def warehouse(self) -> Path:
        return self.data_dir / "warehouse.duckdb"

    @property
    def staging(self) -> Path:
        """Batches of statements on their way to the warehouse."""
        return self.data_dir / "staging"

    @property
    def snapshots(self) -> Path:
        return self.data_dir / "snapshots"

    def expand(self, name: str) -> str:
        """Full IRI of a CURIE whose prefix is declared; anything else is returned unchanged."""
        prefix, colon, local = name.partition(":")
        if colon and prefix in self.config.prefixes and not local.startswith("//"):
            return self.config.prefixes[prefix] + local
        return name

    @contextmanager
    def write(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The warehouse for writing, schema in place. One process at a time; the caller starts its own transactions."""
        with self._opened(self.warehouse, read_only=False) as connection:
            _check_version(connection, self.warehouse)
            _create_schema(connection)
            yield connection

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The warehouse for reading only."""
        if not self.warehouse.exists():
            raise WarehouseError("there is no warehouse yet", where=str(self.warehouse), hint="materialise the assets first")
        with self._opened(self.warehouse, read_only=True) as connection:
            _check_version(connection, self.warehouse)
            yield connection

    @contextmanager
    def landing_connection(self, read_only: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
        """The landing file dlt writes."""
        if read_only and not self.landing.exists():
            raise WarehouseError("nothing was loaded yet", where=str(self.landing), hint="load the sources first")
        with self._opened(self.landing, read_only=read_only) as connection:
            yield connection

    def _opened(self, path: Path, *, read_only: bool) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return _opened(path, read_only=read_only, memory_limit=self.config.memory_limit)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Say clearly what a file that cannot be written or read any more means, wherever in the work on it that is noticed.

    Other errors pass as they are: they are not about the disk.
    """
    try:
        yield
    except (duckdb.Error, OSError) as error:
        message = _about_storage(error)
        if message is None:
            raise
        hint = "nothing half-written is ever read; run again when it is mended"
        raise WarehouseError(message, where=str(path), hint=hint) from error


def _about_storage(error: BaseException) -> str | None:
    """What happened to the disk, if an error or what led to it is about that: a rollback may fail after a write did."""
    for cause in causes(error):
        text = str(cause).partition("\n")[0]
        # A write that fails at the commit is a TransactionException; only its text says why.
        full = any(sign in text for sign in ("No space left on device", "Disk quota exceeded"))
        if full or (isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)):
            return f"the disk is full: {text}"
        if isinstance(cause, duckdb.IOException | duckdb.FatalException | duckdb.OutOfMemoryException):
            return text
    return None


@contextmanager
def _opened(path: Path, *, read_only: bool, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB file; its folder is made where it is to be written."""
    if not read_only:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WarehouseError(f"the folder cannot be made: {error.strerror}", where=str(path.parent)) from error
    with storage_errors(path):
        connection = _connect(path, read_only=read_only, memory_limit=memory_limit)
        try:
            yield connection
        finally:
            connection.close()


def _create_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Tables, views and macros. Where these very ones were made nothing is done: making them costs more than most stages."""
    of_schema = {"dataset": "", "stage": "schema", "scope": ""}
    wanted = fingerprint(*(load_sql("schema", name) for name in SCHEMA_FILES))
    try:
        if connection.execute(load_sql("watermarks", "select_watermark"), of_schema).fetchall() == [(wanted,)]:
            return
    except duckdb.CatalogException:  # the file is new
        pass
    with transaction(connection):
        for name in SCHEMA_FILES:
            connection.execute(load_sql("schema", name))
        connection.execute(load_sql("watermarks", "delete_watermark"), of_schema)
        connection.execute(load_sql("watermarks", "insert_watermark"), of_schema | {"fingerprint": wanted})


def _check_version(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a warehouse whose tables another version made; one without tables is new."""
    tables = {str(row[0]) for row in connection.execute(load_sql("schema", "select_tables")).fetchall()}
    if not tables:
        return
    rows = connection.execute(load_sql("schema", "select_version")).fetchall() if "schema_version" in tables else []
    found = rows[0][0] if rows else "none"
    if found != SCHEMA_VERSION:
        raise WarehouseError(
            f"its tables have version {found}, and this release needs {SCHEMA_VERSION}",
            where=str(path),
            hint="use the release that made it, or move the data directory away and build again from the sources",
        )


def _connect(path: Path, *, read_only: bool, memory_limit: str | None) -> duckdb.DuckDBPyConnection:
    try:
        if not read_only and not path.exists():
            _create(path)
        connection = duckdb.connect(str(path), read_only=read_only)
    except duckdb.IOException as error:
        if "set lock on file" in str(error):
            raise WarehouseError(
                "another process holds the file",
                where=str(path),
                hint=f"wait for it to finish, or stop it; read a snapshot instead. DuckDB says: {error}",
            ) from error
        raise
    connection.execute(load_sql("schema", "configure_session"))
    if memory_limit is not None:
        connection.execute(load_sql("schema", "limit_memory"), {"memory_limit": memory_limit})
    return connection


def _create(path: Path) -> None:
    """An empty DuckDB file, whole or not at all: one that a full disk or a crash cut short could never be opened again."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        duckdb.connect(str(temporary)).close()
        os.link(temporary, path)  # fails where another process was first; a rename would take its file away
    except FileExistsError:
        pass
    finally:
        temporary.unlink(missing_ok=True)


def fingerprint(*parts: object) -> str:
    """A short, stable fingerprint of its parts (hex, 128 bits); parts are separated injectively."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()[:32]
