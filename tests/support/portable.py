"""The rules that a compute step keeps so that another engine can run it (design section 13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp

Operator: TypeAlias = dict[str, Any]  # of a physical plan, as EXPLAIN (FORMAT json) gives it
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


def slow_joins(plan: list[Operator]) -> list[str]:
    """The joins of a plan that compare all rows with all: those that are not by hash, unless one side is a single row."""
    operators = [operator for root in plan for operator in _walk(root)]
    single = {
        o["extra_info"]["Table Index"]
        for o in operators
        if o["name"].strip() == "CTE" and _is_single_row(o["children"][0], set())
    }
    joins = [o for o in operators if o["name"].strip().endswith(("JOIN", "PRODUCT")) and o["name"].strip() != "HASH_JOIN"]
    return sorted({o["name"].strip() for o in joins if not any(_is_single_row(side, single) for side in o["children"])})


def _walk(operator: Operator) -> Iterator[Operator]:
    yield operator
    for child in operator["children"]:
        yield from _walk(child)


def _is_single_row(operator: Operator, single_ctes: set[str]) -> bool:
    name, children = operator["name"].strip(), operator["children"]
    if name == "CTE_SCAN":
        return operator["extra_info"]["CTE Index"] in single_ctes
    if name in ("PROJECTION", "FILTER", "CROSS_PRODUCT"):
        return all(_is_single_row(child, single_ctes) for child in children)
    return name in ("UNGROUPED_AGGREGATE", "DUMMY_SCAN")


def _one_sided(join: exp.Join) -> list[exp.Expression]:
    """Conditions of an outer join that look at one table only: DuckDB 1.5 plans a nested loop for them."""
    on = join.args.get("on")
    if not join.side or on is None:
        return []
    parts = on.flatten() if isinstance(on, exp.And) else [on]
    return [part for part in parts if len({column.table for column in part.find_all(exp.Column)}) < 2]
