"""Erasure: takes a subject, a document or a source record out of every table of the store, for all time (design rule 11).

What depended on it is derived again from the rest of the log, on both clocks: afterwards the store is as if the erased
statements had never been made. Tombstones stay, so that they are not made again: keyed hashes, without content. Files beside
the store (landing, staging, index, snapshots) are not known here; `stratagraph.forget` brings them in line.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

import duckdb

from stratagraph.identity.resolve import register_functions
from stratagraph.project import Clock
from stratagraph.sqlfiles import load_sql, quote_identifier
from stratagraph.temporal.commit import derive_keys, next_instant
from stratagraph.temporal.steps import Steps
from stratagraph.temporal.tombstones import LAYER, prepare_tokens, read_secret
from stratagraph.transactions import transaction

Kind = Literal["subject", "document", "source_record"]

# The kind of the tombstone that stands for the id that was asked for.
_TOMBSTONES: dict[Kind, str] = {"subject": "entity", "document": "document", "source_record": "record"}
_ROW_TABLES = (
    "statements", "evidence", "identities", "candidates", "conflicts", "quarantine", "documents", "chunks", "mentions",
)  # fmt: skip
_COMMUNITY_TABLES = ("community_reports", "community_members", "communities")


@dataclass(frozen=True)
class ErasureCounts:
    """Rows that went, by table, and what was done about the rest.

    Args:
        known: whether the store had anything of it, or erased it before. If not, nothing was written.
        refs: ids under which the entity was known.
        keys_derived: keys of other things that were derived again.
    """

    known: bool = False
    refs: int = 0
    statements: int = 0
    evidence: int = 0
    nodes: int = 0
    edges: int = 0
    identities: int = 0
    candidates: int = 0
    conflicts: int = 0
    quarantine: int = 0
    documents: int = 0
    chunks: int = 0
    mentions: int = 0
    answers: int = 0
    communities: int = 0
    keys_derived: int = 0

    def metadata(self) -> dict[str, int | float | str]:
        return {name: int(value) for name, value in asdict(self).items()}


def erase(
    connection: duckdb.DuckDBPyConnection, *, dataset: str, kind: Kind, id: str, clock: Clock, run_id: str = ""
) -> ErasureCounts:
    """Erase something from the store, in one transaction. Doing it again changes nothing.

    Args:
        connection: a warehouse opened for writing, with no transaction open.
        dataset: the unit of isolation; nothing of another one is touched.
        kind: `subject`: an entity, with all refs that stand for it and all relations to it; `document`: a text, with all
            that was read from it; `source_record`: what one record said, named as in the quarantine, `shop/Orders {"id":1}`.
        id: a node id or a ref of it, a document_id, or a record.
        clock: gives the present instant.
        run_id: recorded in `graph.runs`.
    """
    work = _Work(connection, {"dataset": dataset, "id": id, "document": None, "record": None})
    if kind != "subject":
        work.values["document" if kind == "document" else "record"] = id
    register_functions(connection)
    prepare_tokens(connection)
    with transaction(connection):
        work.values["secret"] = _secret(work)
        _find(work, kind)
        known = work.row_of("select_known", {"kind": _TOMBSTONES[kind]})
        if not known["traces"]:
            work.drop()
            return ErasureCounts(known=bool(known["tombstones"]))
        at = next_instant(work, clock, dataset, "", None)
        work.run("insert_tombstones", {"at": at})
        keys = _find_dependent(work)
        counts = _delete(work)
        if keys or work.count("network"):
            _derive_again(work)
        done = ErasureCounts(known=True, refs=work.count("asked_refs"), keys_derived=keys, **counts)
        numbers = json.dumps(done.metadata(), sort_keys=True)
        work.run("insert_run", {"at": at, "run_id": run_id, "counts": numbers})
        work.drop()
    return done


class _Work(Steps):
    """The steps of one erasure, and the values that its SQL files take what they name from."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, values: dict[str, object]) -> None:
        super().__init__(connection)
        self.values = values

    def hold(self, name: str, file: str, **inputs: str) -> None:
        """Keep a step of this layer as a temporary table."""
        quoted = {key: quote_identifier(value) for key, value in inputs.items()}
        (statement,) = self.connection.extract_statements(load_sql(LAYER, file, **quoted))
        self.keep(name, LAYER, file, self._named(statement, {}), **inputs)

    def run(self, file: str, more: Mapping[str, object] | None = None, **identifiers: str) -> int:
        """Execute the statements of a file; returns how many rows they changed."""
        changed = 0
        for statement in self.connection.extract_statements(load_sql(LAYER, file, **identifiers)):
            found = self.connection.execute(statement, self._named(statement, more or {})).fetchall()
            changed += int(found[0][0]) if found else 0
        return changed

    def row_of(self, file: str, more: Mapping[str, object] | None = None) -> dict[str, object]:
        """The single row of a query of this layer."""
        (statement,) = self.connection.extract_statements(load_sql(LAYER, file))
        return self.row(LAYER, file, self._named(statement, more or {}))

    def _named(self, statement: duckdb.Statement, more: Mapping[str, object]) -> dict[str, object]:
        known = self.values | dict(more)
        return {name: known[name] for name in statement.named_parameters}


def _secret(work: _Work) -> bytes:
    """The store's secret; the first erasure makes it."""
    if read_secret(work.connection) is None:
        work.run("insert_secret", {"secret": secrets.token_bytes(32)})
    found = read_secret(work.connection)
    assert found is not None
    return found


def _find(work: _Work, kind: Kind) -> None:
    """What goes, as step tables erased_*."""
    work.hold("asked_refs", "select_no_refs" if kind == "source_record" else "select_refs")
    work.hold("erased_statements", "select_statements")
    work.hold("erased_ids", "select_ids")
    work.hold("erased_refs", "select_all_refs")
    for name in ("names", "identities", "candidates", "chunks", "questions", "rows", "communities"):
        work.hold(f"erased_{name}", f"select_{name}")
    work.hold("moved_statements", "select_moved")


def _find_dependent(work: _Work) -> int:
    """The keys of other things that have to be derived again, and their rows; returns how many keys."""
    work.keep("rules", "temporal", "select_rules", {"dataset": work.values["dataset"]})
    work.hold("whole_keys", "select_keys")
    while True:  # keys whose relations imply the same belong together; each round reaches at most one implication further
        before = work.count("whole_keys")
        work.hold("erased_relations", "select_relations")
        work.hold("erased_pairs", "select_pairs")
        work.hold("network", "select_network")
        work.hold("more_keys", "select_more_keys", keys="whole_keys")
        work.hold("whole_keys", "select_these_keys", keys="more_keys")
        if work.count("whole_keys") == before:
            break
    if before or work.count("network"):
        work.values["first"] = work.row_of("select_first")["first"]
        work.hold("rewound", "select_rewound")
    return before


def _delete(work: _Work) -> dict[str, int]:
    """Take what was found out of every table; what is read for it stands in the step tables by now."""
    counts = {
        "nodes": sum(work.run("delete_nodes", table=quote_identifier(name)) for name in ("nodes_open", "nodes_closed")),
        "edges": sum(work.run("delete_edges", table=quote_identifier(name)) for name in ("edges_open", "edges_closed")),
    }
    work.run("delete_claims")
    for name in _ROW_TABLES:
        counts[name] = work.run(f"delete_{name}")
    counts["answers"] = work.run("delete_calls")
    counts["communities"] = work.count("erased_communities")
    if counts["communities"]:
        work.run("update_parents")
        for name in _COMMUNITY_TABLES:
            work.run("delete_of_communities", table=quote_identifier(name))
    return counts


def _derive_again(work: _Work) -> None:
    """Take the dependent keys back to the instant before the first erased row, and let the rest of the log happen again."""
    for name in ("statements", "identities"):
        work.hold(f"replayed_{name}", f"select_replayed_{name}")
    work.hold("replayed_instants", "select_instants")
    instants = [row[0] for row in work.connection.table("replayed_instants").order("instant").fetchall()]
    for name in ("nodes", "edges", "claims", "conflicts", "statements", "identities"):
        work.run(f"rewind_{name}")
    for instant in instants:
        _replay(work, instant)


def _replay(work: _Work, instant: datetime) -> None:
    for name in ("statements", "identities"):
        work.run(f"replay_{name}", {"at": instant})
    work.keep("mapping", "temporal", "select_mapping")
    derive_keys(work, str(work.values["dataset"]), instant)
