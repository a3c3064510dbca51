"""A user's decisions about who is who, and what is known for and against: merge, split, keep apart, explain.

A decision is written at a transaction time, belief is derived again, and no key, name or judge overturns it. What a judge
decides is `candidates`; how a decision changes belief is `temporal.commit`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

from stratagraph.errors import StratagraphError
from stratagraph.identity.candidates import LAYER, describe, judge_pairs, write_candidates
from stratagraph.identity.resolve import register_functions
from stratagraph.ontology.load import load_project
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.commit import CommitCounts, assign_identities
from stratagraph.temporal.steps import Steps


class IdentityError(StratagraphError):
    """An id that nothing has, or a decision that makes no sense of it."""


@dataclass(frozen=True)
class Known:
    """An id as it is known: the node it stands for now, and what that is called."""

    ref: str
    node_id: str
    label: str | None


@dataclass(frozen=True)
class Decision:
    """What a decision changes: each ref with the node it stands for from now on; and belief, unless it is a dry run."""

    refs: list[tuple[str, str]] = field(default_factory=list)
    counts: CommitCounts = field(default_factory=CommitCounts)

    @property
    def changed(self) -> bool:
        return bool(self.refs)


@dataclass(frozen=True)
class Explanation:
    """What is known of two ids: the evidence is None if there is nothing to compare, as both stand for one node."""

    one: Known
    other: Known
    evidence: dict[str, Any] | None
    verdict: dict[str, Any] | None
    decisions: list[dict[str, Any]]
    identities: list[dict[str, Any]]

    @property
    def same(self) -> bool:
        return self.one.node_id == self.other.node_id


def merge(project: Project, one: str, other: str, reason: str, *, dry_run: bool = False) -> Decision:
    """What `other` stands for becomes what `one` stands for. Nothing changes if they are one already.

    Raises:
        IdentityError: nothing is known under one of the ids.
    """
    with _opened(project, writes=not dry_run) as steps:
        first, second = _known(project, steps, one), _known(project, steps, other)
        if first.node_id == second.node_id:
            return Decision()
        moved = [(ref, first.node_id) for ref in _refs_of(project, steps, second.node_id)]
        if dry_run:
            return Decision(moved)
        _keep_verdict(project, steps, (first.node_id, second.node_id), "merge", reason)
        rows = [{"ref": second.node_id, "node_id": first.node_id, "reason": reason}]
        return Decision(moved, _assign(project, steps, rows))


def split(project: Project, ref: str, reason: str, *, dry_run: bool = False) -> Decision:
    """A ref stands for itself again, with all that came to its node with it; nothing automatic merges it again.

    Raises:
        IdentityError: nothing is known under the id, or it is the id of the node itself.
    """
    with _opened(project, writes=not dry_run) as steps:
        known = _known(project, steps, ref)
        if known.node_id == ref:
            others = [name for name in _refs_of(project, steps, ref) if name != ref]
            listed = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
            raise IdentityError(
                "this is the id of the node itself, so there is nothing to take it out of", where=ref,
                hint=f"name the ref that should leave it, one of: {listed}" if others else "no other id stands for it",
            )  # fmt: skip
        parameters = {"dataset": project.config.dataset, "ref": ref, "reason": reason}
        steps.keep("split_assignments", LAYER, "select_split_assignments", parameters)
        rows = steps.connection.table("split_assignments").order("ref").to_arrow_table()
        moved = [(str(row["ref"]), str(row["node_id"])) for row in rows.to_pylist()]
        if dry_run:
            return Decision(moved)
        _keep_verdict(project, steps, (ref, known.node_id), "apart", reason)
        return Decision(moved, _assign(project, steps, rows.to_pylist()))


def keep_apart(project: Project, one: str, other: str, reason: str) -> None:
    """Two nodes are two: they are no candidates any more, and no judge and no key of the ontology makes them one.

    Raises:
        IdentityError: nothing is known under one of the ids, or they are one already.
    """
    with _opened(project, writes=True) as steps:
        first, second = _known(project, steps, one), _known(project, steps, other)
        if first.node_id == second.node_id:
            raise IdentityError(f"both stand for {first.node_id}", where=f"{one}, {other}", hint="`identity split` parts them")
        _keep_verdict(project, steps, (first.node_id, second.node_id), "apart", reason)


def explain(project: Project, one: str, other: str) -> Explanation:
    """Why two ids are one thing or two: evidence, decisions, and which node each stood for.

    Raises:
        IdentityError: nothing is known under one of the ids.
    """
    with _opened(project, writes=False) as steps:
        first, second = _known(project, steps, one), _known(project, steps, other)
        ids = {"dataset": project.config.dataset, "a": one, "b": other}
        decisions = _dicts(steps, "select_candidate_history", ids)
        if not decisions and (first.node_id, second.node_id) != (one, other):
            nodes = {"dataset": project.config.dataset, "a": first.node_id, "b": second.node_id}
            decisions = _dicts(steps, "select_candidate_history", nodes)
        verdict = None
        if first.node_id != second.node_id:
            describe(project, steps, load_project(project), None)
            steps.keep("pairs", LAYER, "select_one_pair", {"a": first.node_id, "b": second.node_id})
            judge_pairs(steps, threshold=0.0, decide=True)
            names = ("score", "decision", "reason", "evidence")
            (row,) = steps.connection.table("verdicts").select(", ".join(names)).fetchall()
            verdict = dict(zip(names, row, strict=True))
        evidence = json.loads(verdict.pop("evidence")) if verdict else None
        return Explanation(first, second, evidence, verdict, decisions, _dicts(steps, "select_identity_history", ids))


def list_candidates(project: Project, decision: str | None = "open", id: str | None = None) -> list[dict[str, Any]]:
    """The candidates as they are held now: a, b, their labels, score, decision, judge, reason, since when, evidence."""
    with _opened(project, writes=False) as steps:
        parameters = {"dataset": project.config.dataset, "decision": decision, "id": id}
        return _dicts(steps, "select_open_candidates", parameters)


@contextmanager
def _opened(project: Project, *, writes: bool) -> Iterator[Steps]:
    """The steps of one question or decision, with the refs' nodes as `mapping`."""
    with project.write() if writes else project.read() as connection:
        register_functions(connection)
        steps = Steps(connection)
        steps.keep("mapping", "temporal", "select_mapping")
        yield steps


def _known(project: Project, steps: Steps, id: str) -> Known:
    parameters = {"dataset": project.config.dataset, "id": id}
    found = _dicts(steps, "select_known_refs", parameters)
    if found:
        return Known(**found[0])
    like = [f"{row['node_id']} ({row['label']})" for row in _dicts(steps, "select_like_ids", parameters)]
    hint = f"did you mean {' or '.join(like)}?" if like else "`stratagraph search` prints ids"
    raise IdentityError("nothing is known under this id", where=id, hint=hint)


def _refs_of(project: Project, steps: Steps, node_id: str) -> list[str]:
    """A node's own id, and every other that stands for it."""
    rows = steps.connection.table("mapping").fetchall()
    return [node_id, *sorted(row[1] for row in rows if row[:1] == (project.config.dataset,) and row[2] == node_id != row[1])]


def _keep_verdict(project: Project, steps: Steps, pair: tuple[str, str], decision: str, reason: str) -> None:
    named = {"a": pair[0], "b": pair[1], "decision": decision, "reason": reason}
    steps.keep("user_verdict", LAYER, "select_user_verdict", {"dataset": project.config.dataset} | named)
    write_candidates(project, steps, "user_verdict")


def _assign(project: Project, steps: Steps, rows: list[dict[str, Any]]) -> CommitCounts:
    import pyarrow as pa

    committed = steps.connection.execute(
        load_sql("temporal", "select_batch_ids"), {"dataset": project.config.dataset}
    ).fetchall()
    return assign_identities(
        steps.connection, pa.Table.from_pylist(rows), dataset=project.config.dataset, batch_id=f"user-{len(committed)}",
        clock=project.clock,
    )  # fmt: skip


def _dicts(steps: Steps, file: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    cursor: duckdb.DuckDBPyConnection = steps.connection.execute(load_sql(LAYER, file), parameters)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
