"""Runs a reader's own SQL: one SELECT, on a read-only connection, with JSON-able results.

Instants are turned into text inside DuckDB, because an infinite one would become the year 9999 in Python.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from stratagraph.errors import SnapshotError
from stratagraph.snapshot.model import Table
from stratagraph.sqlfiles import load_sql, quote_identifier

Parameters = Mapping[str, Any] | Sequence[Any] | None
_HINT = "one SELECT (or FROM, WITH, VALUES, DESCRIBE, SHOW, SUMMARIZE) at a time; nothing can be written"


def run_query(
    cursor: duckdb.DuckDBPyConnection, query: str, parameters: Parameters, limit: int | None, timeout: float | None
) -> Table:
    """Run one query and fetch at most `limit` rows."""
    if limit is not None and limit < 0:
        raise SnapshotError(f"limit must not be negative: {limit}")
    try:
        with _interrupted_after(cursor, timeout):
            statement = _single_select(_text(query))
            # The caller's text goes in last, so that nothing in it is taken for a placeholder.
            shape = cursor.execute(load_sql("snapshot", "select_query_shape", query=statement), parameters).description or []
            columns = ", ".join(_readable(name, str(kind)) for name, kind, *_ in shape)
            bound = "" if limit is None else f"LIMIT {limit:d}"
            text = load_sql("snapshot", "select_query_rows", columns=columns, limit=bound, query=statement)
            rows = cursor.execute(text, parameters).fetchall()
    except duckdb.InterruptException as error:
        raise SnapshotError(f"the query took longer than {timeout:g} s" if timeout else "the query was interrupted") from error
    except (duckdb.Error, RuntimeError) as error:
        raise SnapshotError(f"the query fails: {error}", hint=_HINT) from error
    return Table([name for name, *_ in shape], rows)


def parameter_names(query: str) -> set[str]:
    """The named parameters of a query; none if it cannot be parsed, which `run_query` then says."""
    try:
        return {name for statement in duckdb.extract_statements(_text(query)) for name in statement.named_parameters}
    except duckdb.Error:
        return set()


def _text(query: str) -> str:
    """A lone surrogate (from broken input) is no text to DuckDB."""
    return query.encode("utf-8", "replace").decode("utf-8")


def _single_select(query: str) -> str:
    statements = duckdb.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT or not statements[0].query.strip():
        raise SnapshotError("not a single SELECT", hint=_HINT)
    return _without_end(query)


def _without_end(query: str) -> str:
    """A statement without its semicolon and what follows it (a comment). Offsets of tokens count bytes."""
    text = query.encode("utf-8")
    places = [place for place, kind in duckdb.tokenize(query) if kind is not duckdb.token_type.comment]
    while places and text[places[-1] :].startswith(b";"):
        text = text[: places.pop()]
    return text.decode("utf-8")


def _readable(name: str, kind: str) -> str:
    """An expression that gives a column as numbers, booleans or text."""
    column = quote_identifier(name)
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
        value = f"CAST(to_json(q.{column}) AS VARCHAR)" if "TIMESTAMP" not in kind else f"CAST(q.{column} AS VARCHAR)"
    elif kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"):
        value = f"graph.iso(q.{column})"
    elif kind == "BLOB":
        value = f"lower(hex(q.{column}))"
    elif kind.startswith("DECIMAL"):
        value = f"CAST(q.{column} AS DOUBLE)"
    elif kind in _PLAIN:
        return f"q.{column}"
    else:
        value = f"CAST(q.{column} AS VARCHAR)"
    return f"{value} AS {column}"


_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_PLAIN = frozenset(("BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "NULL", *_INTEGERS, *(f"U{name}" for name in _INTEGERS)))


@contextmanager
def _interrupted_after(cursor: duckdb.DuckDBPyConnection, timeout: float | None) -> Iterator[None]:
    if timeout is None:
        yield
        return
    timer = threading.Timer(timeout, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
