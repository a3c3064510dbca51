"""Checks the invariants of the store (design section 4) with set-based queries, one file of `sql/audit/` each.

An audit only reads. What must hold always is in AUDITS; what is reported without being an error is in REPORTS.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from stratagraph.sqlfiles import load_sql, qualified

AUDITS: dict[str, str] = {
    "overlapping_nodes": "no two rows of one facet of a node overlap on both clocks",
    "overlapping_edges": "no two rows of one relation overlap on both clocks",
    "single_valued_relations": "a single-valued relation has one object at a time",
    "exclusive_relations": "of relations that exclude each other one holds at a time",
    "uncoalesced_rows": "no two rows of one key, believed at one time, meet with the same value",
    "reopened_rows": "no row ends in the moment in which it begins again",
    "empty_intervals": "no row has zero length on either clock",
    "unsupported_rows": "statements justify every row from its beginning to its end",
    "statements_without_claims": "a live statement that asserts claims one value of one row",
    "claims_without_statements": "a claim is made by a statement, and not for longer than that is live",
    "overlapping_claims": "no two claims of a statement on one row overlap on both clocks",
    "overlapping_conflicts": "no two rows of one conflict overlap on both clocks",
    "inferred_without_premises": "an inferred edge has a premise",
    "statements_without_evidence": "every statement says where it was said",
    "doubled_statements": "a statement is live at most once",
    "conflicts_without_statements": "a conflict names two statements, live ones while it is listed",
    "ambiguous_identities": "a ref stands for one node at a time",
    "unresolved_refs": "no row that is believed speaks of a ref that stands for another node",
    "repeated_runs": "every commit has an instant of its own, and every batch one commit",
    "future_transactions": "nothing began or ended after the last commit",
}

REPORTS: dict[str, str] = {
    "dangling_edges": "stretches on which an edge lacks an end; kept, and hidden from as-of queries",
}


# What an audit asks of rows that its own file selects, and what it selects from, where another file says that.
_METHODS = dict.fromkeys(
    ("overlapping_nodes", "overlapping_edges", "overlapping_claims", "overlapping_conflicts"), "select_overlaps"
)


@dataclass(frozen=True)
class AuditFinding:
    """How many rows break an invariant, with the first few keys."""

    name: str
    description: str
    count: int
    sample: list[str]

    @property
    def passed(self) -> bool:
        return self.count == 0


def audit_query(name: str) -> str:
    """The query of an audit or report: one row per finding, with its key."""
    if name in _METHODS:
        return load_sql("audit", _METHODS[name], query=load_sql("audit", name))
    uncovered = load_sql("integrity", "derive_uncovered", edges=qualified("graph", "edges_open"))
    return load_sql("audit", name, query=uncovered)


def run_audit(connection: duckdb.DuckDBPyConnection, name: str) -> AuditFinding:
    """Run one audit or report by name."""
    description = AUDITS.get(name) or REPORTS[name]
    [(count, sample)] = connection.execute(load_sql("audit", "summarise_audit", query=audit_query(name))).fetchall()
    return AuditFinding(name, description, int(count), [str(key) for key in sample or []])


def audit(connection: duckdb.DuckDBPyConnection) -> list[AuditFinding]:
    """Run every audit."""
    return [run_audit(connection, name) for name in AUDITS]
