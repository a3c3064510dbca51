"""The Spark dialect of a compute step: sqlglot's, and the few rules that it lacks.

The infinities of TIMESTAMPTZ are the ends of the range of Spark's microseconds (sessions are in UTC), and whatever makes text
of an instant has to know them; a window ordered by bytes needs a frame of rows; an empty series counts down in Spark; Sail's
UNHEX wants a plain string. A column named like an instant (`valid_from`, `key_at`) is one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlglot
from sqlglot import exp

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MICROSECOND = 2**63 - 1
INFINITIES = {"infinity": LAST_MICROSECOND, "-infinity": -LAST_MICROSECOND}
INSTANT_NAMES = ("_from", "_to", "_at")
ROWS_SO_FAR = {"kind": "ROWS", "start": "UNBOUNDED", "start_side": "PRECEDING", "end": "CURRENT ROW"}


def to_spark(query: str, parameters: dict[str, Any]) -> str:
    """A DuckDB query in Spark's dialect, its parameters bound as literals; the table `graph.x` is called `graph_x`."""
    tree = sqlglot.parse_one(query, read="duckdb").transform(lambda node: _bind(node, parameters))
    for rule in RULES:
        tree = tree.transform(rule)
    return tree.sql(dialect="spark")


def _bind(node: exp.Expression, parameters: dict[str, Any]) -> exp.Expression:
    if not isinstance(node, exp.Parameter | exp.Placeholder):
        return node
    value = parameters[node.name]
    return (
        _micros((value.astimezone(UTC) - EPOCH) // timedelta(microseconds=1))
        if isinstance(value, datetime)
        else exp.convert(value)
    )


def _instant_as_text(node: exp.Expression) -> exp.Expression:
    """DuckDB writes an offset, and words for the infinities."""
    if not (isinstance(node, exp.Cast) and node.to.this == exp.DType.TEXT and _is_instant(node.this)):
        return node
    text = _call("concat", exp.cast(node.this, "TEXT"), exp.Literal.string("+00"))
    return _unless_infinite(
        node.this, {at: _call("concat", *map(exp.Literal.string, word)) for word, at in INFINITIES.items()}, text
    )


def _instant_as_number(node: exp.Expression) -> exp.Expression:
    """`epoch_us` of an infinity is NULL."""
    if not (isinstance(node, exp.Anonymous) and node.name.lower() == "epoch_us"):
        return node
    instant = node.expressions[0]
    return _unless_infinite(instant, {at: exp.null() for at in INFINITIES.values()}, _call("unix_micros", instant))


def _infinity(node: exp.Expression) -> exp.Expression:
    return _micros(INFINITIES[node.name]) if isinstance(node, exp.Literal) and node.name in INFINITIES else node


def _schema_in_name(node: exp.Expression) -> exp.Expression:
    return exp.to_table(f"{node.db}_{node.name}", alias=node.alias or None) if isinstance(node, exp.Table) and node.db else node


def _frame_of_rows(node: exp.Expression) -> exp.Expression:
    """For functions that look at the order alone, the frame means nothing; Sail refuses a frame of ranges over bytes."""
    order_only = isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber | exp.Lag | exp.Lead)
    if order_only and node.args.get("order") and not node.args.get("spec"):
        node.set("spec", exp.WindowSpec(**ROWS_SO_FAR))
    return node


def _plain_string(node: exp.Expression) -> exp.Expression:
    return _call("unhex", _call("substr", node.this, exp.Literal.number(1))) if isinstance(node, exp.Unhex) else node


def _series(node: exp.Expression) -> exp.Expression:
    """`range` and `generate_series` of nothing are empty; Spark's SEQUENCE counts down."""
    if not isinstance(node, exp.GenerateSeries):
        return node
    start, end = node.args["start"], node.args["end"]
    item = exp.to_identifier("item")
    below = exp.LT if node.args.get("is_end_exclusive") else exp.LTE
    inside = exp.and_(exp.GTE(this=exp.column("item"), expression=start), below(this=exp.column("item"), expression=end))
    return _call("filter", _call("sequence", start, end), exp.Lambda(this=inside, expressions=[item]))


RULES: tuple[Callable[[exp.Expression], exp.Expression], ...] = (
    _instant_as_text, _instant_as_number, _infinity, _schema_in_name, _frame_of_rows, _plain_string, _series
)  # fmt: skip


def _is_instant(node: exp.Expression) -> bool:
    return isinstance(node, exp.Column) and node.name.endswith(INSTANT_NAMES)


def _unless_infinite(instant: exp.Expression, infinite: dict[int, exp.Expression], finite: exp.Expression) -> exp.Expression:
    branches = [exp.If(this=exp.EQ(this=instant.copy(), expression=_micros(at)), true=value) for at, value in infinite.items()]
    return exp.Case(ifs=branches, default=finite)


def _micros(value: int) -> exp.Expression:
    return _call("timestamp_micros", exp.Literal.number(value))


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])
