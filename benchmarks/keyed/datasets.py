"""Databases and files whose foreign keys are known, loaded into DuckDB without them.

Declared keys are read from SQLite. Where a data set declares none, its documentation does: each key below says where it stands.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from stratagraph.sources.keys.inference.tables import KeyColumn, KeyTable
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

Key = tuple[str, tuple[str, ...], str, tuple[str, ...]]
SCHEMA = "landed"

_TEAM = ("Teams", ("yearID", "lgID", "teamID"))
# lahman/readme2014.txt: section 2.1 "playerID … links the data in this file with records in the other files" (Master, now
# People); 2.8 "franchID Franchise (links to TeamsFranchise table)"; 2.11 "NAassoc ID of National Association team
# franchise played as"; 2.16 the winner and the loser of a series, each by team and league. A team is one of a season: the key
# of Teams is (yearID, lgID, teamID), as the README beside the data says, and also what HomeGames calls them and Parks.
LAHMAN: tuple[Key, ...] = (
    *((table, ("playerID",), "People", ("playerID",))
      for table in ("AllstarFull", "AwardsManagers", "AwardsShareManagers", "HallOfFame", "Managers", "ManagersHalf")),
    *((table, ("yearID", "lgID", "teamID"), *_TEAM) for table in ("AllstarFull", "Managers", "ManagersHalf", "TeamsHalf")),
    ("SeriesPost", ("yearID", "lgIDwinner", "teamIDwinner"), *_TEAM),
    ("SeriesPost", ("yearID", "lgIDloser", "teamIDloser"), *_TEAM),
    ("HomeGames", ("year.key", "league.key", "team.key"), *_TEAM),
    ("HomeGames", ("park.key",), "Parks", ("park.key",)),
    ("Teams", ("franchID",), "TeamsFranchises", ("franchID",)),
    ("TeamsFranchises", ("NAassoc",), "TeamsFranchises", ("franchID",)),
)  # fmt: skip
# The GTFS reference, "Foreign ID referencing …". Not here: references to columns that are no keys of any table, because their
# values repeat (fare_rules.origin_id, destination_id and contains_id to stops.zone_id; trips.shape_id to shapes.shape_id).
GTFS: tuple[Key, ...] = (
    ("routes", ("agency_id",), "agency", ("agency_id",)),
    ("trips", ("route_id",), "routes", ("route_id",)),
    ("trips", ("service_id",), "calendar", ("service_id",)),
    ("stop_times", ("trip_id",), "trips", ("trip_id",)),
    ("stop_times", ("stop_id",), "stops", ("stop_id",)),
    ("calendar_dates", ("service_id",), "calendar", ("service_id",)),
    ("fare_rules", ("fare_id",), "fare_attributes", ("fare_id",)),
    ("fare_rules", ("route_id",), "routes", ("route_id",)),
    ("frequencies", ("trip_id",), "trips", ("trip_id",)),
)

_TYPES = (("INT", "BIGINT"), ("DATE", "TIMESTAMP"), ("TIME", "TIMESTAMP"), ("BLOB", "BLOB"), ("IMAGE", "BLOB"),
          ("NUM", "DOUBLE"), ("DEC", "DOUBLE"), ("REAL", "DOUBLE"), ("FLOAT", "DOUBLE"), ("MONEY", "DOUBLE"))  # fmt: skip


@dataclass(frozen=True)
class Dataset:
    """Tables without declarations, and what is known of them."""

    connection: duckdb.DuckDBPyConnection
    primary: Mapping[str, tuple[str, ...]]
    keys: tuple[Key, ...]

    def tables(self, with_primary: bool = False) -> list[KeyTable]:
        """The tables as inference sees them, with their declared primary keys or without."""
        return tables_of(self.connection, self.primary if with_primary else {})


def open_datasets(data: Path, northwind: Path, scratch: Path) -> dict[str, Callable[[], Dataset]]:
    """The five data sets below a folder. `northwind`: the SQLite file of the demo; `scratch`: a folder to unpack things in."""
    return {
        "Chinook": lambda: from_sqlite(data / "chinook" / "Chinook_Sqlite.sqlite"),
        "Northwind": lambda: from_sqlite(northwind),
        "Sakila": lambda: from_sqlite(build_sakila(data / "sakila", scratch / "sakila.db")),
        "Lahman": lambda: from_files({path.stem: path for path in sorted((data / "lahman").glob("*.csv"))}, LAHMAN),
        "GTFS": lambda: from_files(_unzipped(data / "gtfs_sample" / "sample-feed.zip", scratch / "gtfs"), GTFS),
    }


def tables_of(
    connection: duckdb.DuckDBPyConnection, primary: Mapping[str, tuple[str, ...]], schema: str = SCHEMA
) -> list[KeyTable]:
    """The tables of a schema as inference sees them."""
    rows = connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = ? "
        "ORDER BY table_oid, column_index",
        [schema],
    ).fetchall()
    columns: dict[str, list[KeyColumn]] = {}
    for table, column, kind in rows:
        columns.setdefault(table, []).append(KeyColumn(column, ((column, kind),)))
    return [KeyTable(name, qualified(schema, name), tuple(of), primary.get(name, ())) for name, of in columns.items()]


def connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(load_sql("sources", "create_macros"))
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    return connection


def from_files(files: Mapping[str, Path], keys: tuple[Key, ...]) -> Dataset:
    """One table for each CSV file."""
    connection = connect()
    for table, path in files.items():
        source = "read_csv(?, header = true, strict_mode = false, null_padding = true)"
        connection.execute(f"CREATE TABLE {qualified(SCHEMA, table)} AS SELECT * FROM {source}", [str(path)])
    return Dataset(connection, {}, keys)


def from_sqlite(path: Path) -> Dataset:
    """All tables of a SQLite file, typed as they are declared."""
    connection, primary, keys = connect(), {}, []
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        names = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        )
        for (table,) in names.fetchall():
            info = database.execute(f"PRAGMA table_info({quote_identifier(table)})").fetchall()
            _copy(connection, database, table, [(row[1], _type(row[2])) for row in info])
            declared = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
            if declared:
                primary[table] = declared
            parts = database.execute(f"PRAGMA foreign_key_list({quote_identifier(table)})").fetchall()
            for number in sorted({part[0] for part in parts}):
                key = sorted((part for part in parts if part[0] == number), key=lambda part: part[1])
                keys.append((table, tuple(part[3] for part in key), key[0][2], tuple(part[4] for part in key)))
    return Dataset(connection, primary, tuple(keys))


def _type(declared: str) -> str:
    return next((kind for sign, kind in _TYPES if sign in declared.upper()), "VARCHAR")


def _copy(
    connection: duckdb.DuckDBPyConnection, database: sqlite3.Connection, table: str, columns: list[tuple[str, str]]
) -> None:
    target = qualified(SCHEMA, table)
    connection.execute(f"CREATE TABLE {target} ({', '.join(f'{quote_identifier(name)} {kind}' for name, kind in columns)})")
    rows = database.execute(f"SELECT * FROM {quote_identifier(table)}").fetchall()
    texts = {
        f"c{n}": pa.array([None if row[n] is None else "" if kind == "BLOB" else str(row[n]) for row in rows], pa.string())
        for n, (_, kind) in enumerate(columns)
    }
    connection.register("copied", pa.table(texts))
    casts = ", ".join(f"TRY_CAST(c{n} AS {kind})" for n, (_, kind) in enumerate(columns))
    connection.execute(f"INSERT INTO {target} SELECT {casts} FROM copied")
    connection.unregister("copied")


def build_sakila(folder: Path, database: Path) -> Path:
    """Sakila as SQLite has it, with the rows of the PostgreSQL version, whose COPY blocks are tab-separated text."""
    with closing(sqlite3.connect(database)) as connection:
        schema = (folder / "sqlite-sakila-schema.sql").read_text(encoding="utf-8")
        connection.executescript(re.sub(r"(?is)create\s+trigger.*?end\s*;", "", schema))
        table, wanted = "", []
        for line in (folder / "postgres-sakila-insert-data-using-copy.sql").read_text(encoding="utf-8").split("\n"):
            start = re.match(r"COPY (?:public\.)?(\w+) \((.*)\) FROM stdin", line, re.IGNORECASE)
            if start:
                table = "payment" if start[1].startswith("payment") else start[1]  # one table in SQLite
                known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
                names = [name.strip().strip('"') for name in start[2].split(",")]
                wanted = [(position, name) for position, name in enumerate(names) if name in known]
            elif line == "\\.":
                table = ""
            elif table and wanted:
                cells = line.split("\t")
                row = {name: None if cells[position] == "\\N" else cells[position] for position, name in wanted}
                row.setdefault("last_update", "2006-02-15 00:00:00")
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        connection.commit()
    return database


def _unzipped(archive: Path, folder: Path) -> dict[str, Path]:
    with zipfile.ZipFile(archive) as feed:
        feed.extractall(folder)
    return {path.stem: path for path in sorted(folder.rglob("*.txt"))}
