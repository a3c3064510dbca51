"""The rules that a compute step keeps so that another engine can run it (design section 13)."""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp

JOIN_OPERATORS = re.compile(r"\b[A-Z_]*(?:JOIN|PRODUCT)\b")
WRITES = (exp.DDL, exp.DML, exp.Command, exp.Delete, exp.Drop, exp.Alter, exp.TruncateTable, exp.Set, exp.Pragma)


def faults_of_query(query: str) -> list[str]:
    """What keeps a step from being a plain SELECT: an empty list if nothing does."""
    trees = sqlglot.parse(query, read="duckdb")
    if len(trees) != 1 or trees[0] is None:
        return ["not one statement"]
    tree = trees[0]
    if not isinstance(tree, exp.Query) or isinstance(tree, exp.Subquery):
        return ["not a SELECT"]
    nodes = list(tree.walk())
    faults = ["it writes" for node in nodes if isinstance(node, WRITES) and not isinstance(node, exp.Query)]
    faults += ["rowid" for node in nodes if isinstance(node, exp.Column) and node.name.lower() == "rowid"]
    faults += ["QUALIFY" for node in nodes if isinstance(node, exp.Qualify)]
    faults += ["GROUP BY ALL" for node in nodes if isinstance(node, exp.Group) and node.args.get("all")]
    faults += ["SELECT INTO" for node in nodes if isinstance(node, exp.Into)]
    for join in (node for node in nodes if isinstance(node, exp.Join)):
        faults += [f"{join.kind} JOIN"] if join.kind in ("ANTI", "SEMI", "ASOF", "POSITIONAL") else []
        faults += [f"outer join on {part.sql()}" for part in _one_sided(join)]
    return sorted(set(faults))


def slow_joins(plan: str) -> list[str]:
    """The operators of a physical plan that compare every row with every other: all joins but those by hash."""
    return sorted({name for name in JOIN_OPERATORS.findall(plan) if name != "HASH_JOIN"})


def _one_sided(join: exp.Join) -> list[exp.Expression]:
    """Conditions of an outer join that look at one table only: DuckDB 1.5 plans a nested loop for them."""
    on = join.args.get("on")
    if not join.side or on is None:
        return []
    parts = on.flatten() if isinstance(on, exp.And) else [on]
    return [part for part in parts if len({column.table for column in part.find_all(exp.Column)}) < 2]
