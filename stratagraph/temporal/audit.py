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
    "uncoalesced_rows": "no two open rows of one key meet with the same value",
    "empty_intervals": "no row has zero length on either clock",
    "unsupported_rows": "every open row is justified by a live statement",
    "statements_without_evidence": "every statement says where it was said",
    "doubled_statements": "a statement is live at most once",
    "future_transactions": "nothing was recorded after the last commit",
}

REPORTS: dict[str, str] = {
    "dangling_edges": "stretches on which an edge lacks an end; kept, and hidden from as-of queries",
}


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


def run_audit(connection: duckdb.DuckDBPyConnection, name: str) -> AuditFinding:
    """Run one audit or report by name."""
    description = AUDITS.get(name) or REPORTS[name]
    uncovered = load_sql("integrity", "derive_uncovered", edges=qualified("graph", "edges_open"))
    query = load_sql("audit", name, query=uncovered)
    row = connection.execute(load_sql("audit", "summarise_audit", query=query)).fetchone()
    count, sample = row if row else (0, None)
    return AuditFinding(name, description, int(count), [str(key) for key in sample or []])


def audit(connection: duckdb.DuckDBPyConnection) -> list[AuditFinding]:
    """Run every audit."""
    return [run_audit(connection, name) for name in AUDITS]
