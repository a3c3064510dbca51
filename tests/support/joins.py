"""Edges beside what the database itself joins; Sakila's tables from PostgreSQL's COPY text."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from staged import edges

from stratagraph.project import Project
from stratagraph.sources.names import iri_safe

DATA = Path(__file__).resolve().parents[1] / "data"
SAKILA = DATA / "sakila"
CHINOOK = DATA / "chinook" / "Chinook_Sqlite.sqlite"


class Key(NamedTuple):
    """A foreign key, as the database's own catalogue has it."""

    table: str
    columns: tuple[str, ...]
    other: str
    targets: tuple[str, ...]


def sqlite_keys(engine: sa.Engine) -> list[Key]:
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").scalars().all()
        found = []
        for table in tables:
            parts: dict[int, list[tuple[int, str, str, str]]] = {}
            for row in connection.exec_driver_sql(f'PRAGMA foreign_key_list("{table}")').all():
                parts.setdefault(row[0], []).append((row[1], row[2], row[3], row[4]))
            for rows in parts.values():
                rows.sort()
                found.append(Key(table, tuple(row[2] for row in rows), rows[0][1], tuple(row[3] for row in rows)))
    return found


def postgres_keys(engine: sa.Engine, schema: str = "public") -> list[Key]:
    query = f"""
        SELECT t.relname, array(SELECT attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k(no, place)
                                JOIN pg_attribute ON attrelid = conrelid AND attnum = no ORDER BY place),
               o.relname, array(SELECT attname::text FROM unnest(c.confkey) WITH ORDINALITY AS k(no, place)
                                JOIN pg_attribute ON attrelid = confrelid AND attnum = no ORDER BY place)
        FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = conrelid JOIN pg_class AS o ON o.oid = confrelid
        WHERE contype = 'f' AND t.relnamespace = '{schema}'::regnamespace"""
    with engine.connect() as connection:
        return [Key(row[0], tuple(row[1]), row[2], tuple(row[3])) for row in connection.exec_driver_sql(query).all()]


def assert_edges_are_joins(project: Project, source: str, engine: sa.Engine, keys: Iterable[Key]) -> int:
    """Every key gives the edges of its join, pair by pair, and there are no others. Returns how many edges there are."""
    inspector = sa.inspect(engine)
    staged = edges(project)
    by_predicate: dict[str, list[tuple[str, str]]] = {}
    for subject, predicate, target in staged:
        by_predicate.setdefault(predicate, []).append((subject, target))
    expected = set()
    for key in keys:
        predicate = f"{source}/{iri_safe(key.table)}#ref-" + ";".join(map(iri_safe, key.columns))
        expected.add(predicate)
        pairs = [
            (_iri(source, key.table, own), _iri(source, key.other, other)) for own, other in _joined(engine, inspector, key)
        ]
        ours = by_predicate.get(predicate, [])
        assert len(ours) == len(set(ours)) == len(pairs), key
        if None in {own for own, _ in pairs}:  # rows without a key of their own: by what they refer to
            assert Counter(target for _, target in ours) == Counter(other for _, other in pairs), key
        else:
            assert set(ours) == set(pairs), key
    assert set(by_predicate) <= expected
    return len(staged)


def _joined(engine: sa.Engine, inspector: sa.Inspector, key: Key) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    own = inspector.get_pk_constraint(key.table)["constrained_columns"]
    other = inspector.get_pk_constraint(key.other)["constrained_columns"]
    listed = [f'a."{name}"' for name in own] + [f'b."{name}"' for name in other]
    on = " AND ".join(f'a."{name}" = b."{target}"' for name, target in zip(key.columns, key.targets, strict=True))
    query = f'SELECT {", ".join(listed) or 1} FROM "{key.table}" AS a JOIN "{key.other}" AS b ON {on}'
    with engine.connect() as connection:
        for row in connection.exec_driver_sql(query):
            yield dict(zip(own, row[: len(own)], strict=True)), dict(zip(other, row[len(own) :], strict=True))


def _iri(source: str, table: str, key: dict[str, object]) -> str | None:
    """The IRI of a row, if it has a primary key."""
    path = ";".join(f"{iri_safe(name)}={iri_safe(str(value))}" for name, value in key.items())
    return f"{source}/{iri_safe(table)}/{path}" if key else None


def copied_tables() -> Iterator[tuple[str, list[str], list[list[str | None]]]]:
    """Table, columns and rows of each COPY of Sakila's data."""
    lines = iter((SAKILA / "postgres-sakila-insert-data-using-copy.sql").read_text(encoding="utf-8").split("\n"))
    for line in lines:
        if line.startswith("COPY "):
            head, _, rest = line.removeprefix("COPY public.").partition(" (")
            columns = rest.partition(")")[0].split(", ")
            yield head, columns, [[_cell(cell) for cell in row.split("\t")] for row in iter(lines.__next__, "\\.")]


def _cell(text: str) -> str | None:
    """A value of COPY's text format."""
    if text == "\\N":
        return None
    return text.replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\") if "\\" in text else text


def sakila_in_sqlite(file: Path) -> str:
    """Sakila as a SQLite file: its tables and keys, and all rows; without the triggers that stamp the present time."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((SAKILA / "sqlite-sakila-schema.sql").read_text(encoding="utf-8"))
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in triggers:
            connection.execute(f'DROP TRIGGER "{trigger}"')
        for table, columns, rows in copied_tables():
            known = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            places = {column: columns.index(column) if column in columns else None for column in known}
            values = ([row[place] if place is not None else "2006-02-15" for place in places.values()] for row in rows)
            marks = ", ".join("?" for _ in known)
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # PostgreSQL has no payment.last_update
        connection.commit()
    return f"sqlite:///{file}"


def sakila_in_postgres(url: sa.URL) -> None:
    """Sakila in an empty database, by its own scripts."""
    schema = (SAKILA / "postgres-sakila-schema.sql").read_text(encoding="utf-8")
    data = (SAKILA / "postgres-sakila-insert-data-using-copy.sql").read_text(encoding="utf-8")
    engine = sa.create_engine(url)
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("CREATE ROLE postgres; " + schema)
        cursor.execute("SET search_path = public, pg_catalog; SET session_replication_role = replica")  # keys may be cyclic
        position = 0
        while (start := data.find("COPY public.", position)) >= 0:
            head = data.index("\n", start)
            end = data.index("\n\\.\n", head - 1)
            cursor.copy_expert(data[start:head], _Text(data[head + 1 : end + 1]))
            position = end
        connection.commit()
    engine.dispose()


class _Text:
    """A text that a driver reads in pieces."""

    def __init__(self, text: str) -> None:
        self._text = text.encode()
        self._at = 0

    def read(self, size: int = 8192) -> bytes:
        piece = self._text[self._at : self._at + size]
        self._at += len(piece)
        return piece
