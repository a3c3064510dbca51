"""Finds nodes that may be one thing, decides by keys and by rules, and carries decisions out.

Runs after belief, over what is believed now. Pairs that stand in a block together are scored (`score`); those above the
threshold are candidates in `graph.identity_candidates`, with their evidence; the configured judge decides. What a model
answered is kept in `graph.llm_calls` by content, model and prompt, so that nothing is paid for twice. A merge is written the
way a user's is (`assign_identities`), so it is dated and can be undone. What a user decided is never overturned. Only what
changed since the last run is compared again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

import duckdb
import pyarrow as pa

from stratagraph.config.sources import RecordedSource
from stratagraph.extraction.protocol import ChunkFailedError, EngineUnavailableError
from stratagraph.identity.model_judge import Answer, ModelJudge
from stratagraph.identity.ontology_keys import disjoint_table, key_table
from stratagraph.identity.resolve import keep_components, register_functions
from stratagraph.identity.score import CONSTANTS, block_records, describe_records, score_pairs
from stratagraph.ontology.load import files_fingerprint, load_project
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.commit import assign_identities, next_instant
from stratagraph.temporal.intake import keep_table
from stratagraph.temporal.steps import Steps
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

VERSION = 2
STAGE = "identity"
LAYER = "identity"
ROUNDS = 5  # a merge may make others' neighbours equal; what is left after so many is found by the next run
FANOUT = 50  # relations of one kind; to be related to one of more than that says little
LONGEST = 500  # characters; a longer value is a text, not an attribute
MOST_ALIKE = 10  # nodes with one value of a key; a value that more share ('n/a') identifies nobody
# What stands where a key has no value, as names are compared; two that have none are not one.
NO_VALUE = ["n a", "na", "nil", "none", "null", "unknown", "not available", "not applicable", "tbd", "无", "未知"]
AGREEING_BITS = 4.0  # from which an attribute or neighbour is a reason of its own
ASKED_AT_ONCE = 100  # pairs that a model is asked about before what it answered is written down
DIFFERING_BITS = 2.0  # from which an attribute speaks against it
NEAR = CONSTANTS["near"]
# Of a node's marks, those that an ontology's key is weighed against: other such keys, and tables whose keys a user declared.
KEY_ORIGINS = ["ontology", "keyed_table"]
ALL_ORIGINS = ["ontology", "keyed_table", "table"]

_text, _count, _hash = pa.string(), pa.int64(), pa.binary()
VERDICTS = pa.schema({
    "a": _text, "b": _text, "score": pa.float64(), "evidence": _text, "content_hash": _hash, "decision": _text, "judge": _text,
    "reason": _text,
})  # fmt: skip
ANSWERS = pa.schema({
    "cache_key": _hash, "content_hash": _hash, "model": _text, "prompt_tokens": _count, "completion_tokens": _count,
    "response": _text,
})  # fmt: skip
Outcome = Answer | ChunkFailedError | EngineUnavailableError


@dataclass(frozen=True)
class CandidatesResult:
    """What a comparison did: nodes compared again, pairs, candidates written, nodes merged, and what stands now."""

    changed: bool
    compared_nodes: int = 0
    compared_pairs: int = 0
    candidates_written: int = 0
    merged_by_key: int = 0
    merged_by_judge: int = 0
    blocks_skipped: int = 0
    largest_block: int = 0
    open: int = 0
    merge: int = 0
    apart: int = 0
    model_calls: int = 0
    answered_before: int = 0
    unanswered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unavailable: str = ""
    not_merged: dict[str, int] = field(default_factory=dict)

    def metadata(self) -> dict[str, int | float | str]:
        numbers: dict[str, int | float | str] = {
            "compared_nodes": self.compared_nodes, "compared_pairs": self.compared_pairs,
            "pairs_per_node": round(self.compared_pairs / max(1, self.compared_nodes), 2),
            "candidates_written": self.candidates_written, "merged_by_key": self.merged_by_key,
            "merged_by_judge": self.merged_by_judge, "blocks_skipped": self.blocks_skipped,
            "largest_block": self.largest_block, "candidates_open": self.open, "candidates_merge": self.merge,
            "candidates_apart": self.apart,
        }  # fmt: skip
        if self.model_calls or self.answered_before or self.unanswered:
            asked = ("model_calls", "answered_before", "unanswered", "prompt_tokens", "completion_tokens")
            numbers |= {name: int(getattr(self, name)) for name in asked}
        warning: dict[str, int | float | str] = {"warning": self.unavailable} if self.unavailable else {}
        return numbers | {f"not_merged_{reason}": count for reason, count in self.not_merged.items()} | warning


@dataclass
class _Run:
    """One run on one connection, and what it has counted so far."""

    project: Project
    connection: duckdb.DuckDBPyConnection
    ontology: Ontology
    run_id: str
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    unavailable: str = ""

    @property
    def dataset(self) -> str:
        return self.project.config.dataset


def find_candidates(project: Project, run_id: str = "") -> CandidatesResult:
    """Compare what changed since the last run, decide, and merge. Nothing is done, or written, if nothing changed."""
    with project.write() as connection:
        register_functions(connection)
        rules = _rules(project)
        last = _last_commit(connection, project)
        if last is None:
            return CandidatesResult(changed=False)
        stored = (read_watermark(connection, project, STAGE) or " ").partition(" ")
        since = datetime.fromisoformat(stored[2]) if stored[0] == rules else None
        run = _Run(project, connection, load_project(project), run_id) if since != last else None
        if run is None:
            return replace(CandidatesResult(changed=False), **_totals(connection, project))
        for _ in range(ROUNDS):
            before = last
            found = _round(run, since)
            last = _last_commit(connection, project) or before
            if found == "nothing":
                since = last
                break
            since = before if found == "judged" else since
        if since and not run.counts["unanswered"]:  # or the next run asks again, and compares what this one did not
            with transaction(connection):
                write_watermark(connection, project, STAGE, f"{rules} {since.isoformat()}")
        written = run.counts["candidates_written"] + run.counts["merged_by_key"] + run.counts["merged_by_judge"]
        numbers: dict[str, Any] = run.counts | Counter(_totals(connection, project))
        not_merged = dict(sorted(run.reasons.items()))
        result = CandidatesResult(changed=written > 0, not_merged=not_merged, unavailable=run.unavailable)
        return replace(result, **numbers)


def _rules(project: Project) -> str:
    """Fingerprint of all that decides besides the graph: a change compares everything again."""
    weights = (AGREEING_BITS, DIFFERING_BITS, MOST_ALIKE, NO_VALUE, FANOUT, LONGEST, sorted(CONSTANTS.items()))
    return fingerprint(VERSION, weights, project.config.identity, files_fingerprint(project))


def _round(run: _Run, since: datetime | None) -> Literal["keyed", "judged", "nothing"]:
    """One comparison, and what merged nodes in it: keys, before anything else was compared; or a judge, after all was."""
    steps = Steps(run.connection)
    try:
        describe(run.project, steps, run.ontology, since)
        if merged := _merge_by_key(run, steps):
            run.counts["merged_by_key"] += merged
            return "keyed"
        run.counts["compared_nodes"] += steps.count("changed")
        _compare(run, steps)
        _decide(run, steps)
        merged = _merge_decided(run, steps)
        run.counts["merged_by_judge"] += merged
        return "judged" if merged else "nothing"
    finally:
        steps.drop()


def describe(project: Project, steps: Steps, ontology: Ontology, since: datetime | None) -> None:
    """Keep what the nodes say, which of them changed, and what the ontology says of their classes."""
    dataset = {"dataset": project.config.dataset}
    aliases = sorted({project.expand(name) for name in project.config.identity.aliases})
    steps.keep("mapping", "temporal", "select_mapping")
    steps.keep("changed", LAYER, "select_changed", dataset | {"since": since})
    described = {"aliases": aliases, "fanout": FANOUT, "longest": LONGEST}
    steps.keep("record_fields", LAYER, "select_record_fields", dataset | described)
    steps.keep("record_classes", LAYER, "select_record_classes", dataset)
    steps.keep("record_facets", LAYER, "select_record_facets", dataset)
    steps.keep("compatible", LAYER, "select_compatible", dataset)
    steps.keep("single_valued", LAYER, "select_single_valued", dataset)
    steps.keep("current_refs", LAYER, "select_current_refs", dataset | {"now": project.clock()})
    classes = [str(row[0]) for row in steps.connection.execute(load_sql(LAYER, "select_classes")).fetchall()]
    keep_table(steps, "ontology_keys", key_table(ontology, classes))
    keep_table(steps, "disjoint", disjoint_table(ontology, classes))
    sources = project.config.sources.items()
    keyed = [f"{name}/record" for name, source in sources if isinstance(source, RecordedSource)]
    steps.keep("key_marks", LAYER, "select_key_marks", {"keyed_facets": keyed, "no_value": NO_VALUE})
    describe_records(steps)


def _merge_by_key(run: _Run, steps: Steps) -> int:
    """Merge nodes with equal values of an ontology's key, unless they contradict each other; returns how many went."""
    steps.keep("key_pairs", LAYER, "select_key_pairs", {"most_alike": MOST_ALIKE})
    if steps.count("key_pairs") == 0:
        return 0
    steps.keep("pairs", LAYER, "select_pairs_of_keys")
    score_pairs(steps)
    steps.keep("pair_contradictions", LAYER, "select_pair_contradictions", {"near": NEAR, "origins": KEY_ORIGINS})
    steps.keep("key_merges", LAYER, "select_key_merges")
    return _merge(run, steps, "key_merges", KEY_ORIGINS)


def _compare(run: _Run, steps: Steps) -> None:
    """Keep `verdicts`: of the pairs that stand in a block together, the candidates."""
    blocks = block_records(steps)
    run.counts["blocks_skipped"] = max(run.counts["blocks_skipped"], blocks["blocks_skipped"])
    run.counts["largest_block"] = max(run.counts["largest_block"], blocks["largest_block"])
    run.counts["compared_pairs"] += steps.count("pairs")
    judge_pairs(steps, threshold=run.project.config.identity.threshold, decide=run.project.config.identity.judge == "rules")
    found = run.connection.execute(load_sql(LAYER, "count_reasons")).fetchall()
    run.reasons = Counter({str(reason): int(pairs) for reason, pairs in found}) | run.reasons


def judge_pairs(steps: Steps, *, threshold: float, decide: bool) -> None:
    """Keep `verdicts`: those of the step table `pairs` that are candidates, with what the rules say (if they are to decide)."""
    score_pairs(steps)
    steps.keep("pair_aliases", LAYER, "select_pair_aliases")
    steps.keep("pair_contradictions", LAYER, "select_pair_contradictions", {"near": NEAR, "origins": ALL_ORIGINS})
    bits = {"agreeing_bits": AGREEING_BITS, "differing_bits": DIFFERING_BITS}
    steps.keep("verdicts", LAYER, "select_verdicts", bits | {"threshold": threshold, "decide": decide})


def _decide(run: _Run, steps: Steps) -> None:
    """Write the verdicts that say something new, and what the configured judge says of those that are open."""
    dataset = {"dataset": run.dataset}
    steps.keep("candidate_changes", LAYER, "select_candidate_changes", dataset)
    steps.keep("candidates_gone", LAYER, "select_candidates_gone", dataset)
    write_candidates(run.project, steps, "candidate_changes", gone="candidates_gone")
    run.counts["candidates_written"] += steps.count("candidate_changes")
    if run.project.config.identity.judge == "llm":
        _ask_model(run, steps)


def _ask_model(run: _Run, steps: Steps) -> None:
    """Let the model decide about the candidates that wait. What it was asked before is answered from what was kept."""
    steps.keep("questions", LAYER, "select_questions", {"dataset": run.dataset})
    questions = run.connection.table("questions").order("a, b").to_arrow_table().to_pylist()
    if not questions:
        return
    judge = ModelJudge(run.project)
    keys = [judge.key(question["content_hash"], question["question"]) for question in questions]
    kept = run.connection.execute(load_sql(LAYER, "select_answers"), {"dataset": run.dataset, "keys": keys}).fetchall()
    answers: dict[bytes, Outcome] = {key: Answer(response) for key, response in kept}
    new = [number for number, key in enumerate(keys) if key not in answers]
    unavailable = ""
    for start in range(0, len(new), ASKED_AT_ONCE):  # kept before more is asked, so that a run that dies pays little twice
        some = new[start : start + ASKED_AT_ONCE]
        asked = judge.ask([questions[number]["question"] for number in some])
        answers |= {keys[number]: outcome for number, outcome in zip(some, asked, strict=True)}
        _keep_answers(run, steps, judge, [(keys[n], questions[n]["content_hash"], o) for n, o in zip(some, asked, strict=True)])
        failed = next((str(outcome) for outcome in asked if isinstance(outcome, EngineUnavailableError)), "")
        unavailable = unavailable or failed
    verdicts = [
        {name: question[name] for name in ("a", "b", "score", "evidence", "content_hash")} | decided
        for question, key in zip(questions, keys, strict=True)
        if (decided := _decided(answers[key]))
    ]
    run.counts["answered_before"] += len(kept)
    run.counts["unanswered"] = len(questions) - len(verdicts)
    run.unavailable = unavailable
    if verdicts:
        keep_table(steps, "model_verdicts", pa.Table.from_pylist(verdicts, VERDICTS))
        write_candidates(run.project, steps, "model_verdicts")


def _decided(outcome: Outcome) -> dict[str, str] | None:
    """What an outcome makes of a candidate; nothing, if the model could not be asked."""
    if isinstance(outcome, Answer):
        return {"decision": outcome.decision, "judge": "llm", "reason": outcome.reason}
    if isinstance(outcome, ChunkFailedError):
        return {"decision": "open", "judge": "llm", "reason": f"no answer: {outcome.reason}"}
    return None


def _keep_answers(run: _Run, steps: Steps, judge: ModelJudge, asked: list[tuple[bytes, bytes, Outcome]]) -> None:
    rows = [
        {
            "cache_key": key, "content_hash": content_hash, "model": judge.model, "prompt_tokens": outcome.prompt_tokens,
            "completion_tokens": outcome.completion_tokens, "response": outcome.response,
        }
        for key, content_hash, outcome in asked
        if isinstance(outcome, Answer)
    ]  # fmt: skip
    paid = [outcome for _, _, outcome in asked if not isinstance(outcome, EngineUnavailableError)]
    run.counts["model_calls"] += len(paid)
    run.counts["prompt_tokens"] += sum(outcome.prompt_tokens for outcome in paid)
    run.counts["completion_tokens"] += sum(outcome.completion_tokens for outcome in paid)
    if rows:
        keep_table(steps, "judged_answers", pa.Table.from_pylist(rows, ANSWERS))
        steps.apply(LAYER, "insert_answers", {"dataset": run.dataset, "at": run.project.clock()})


def write_candidates(project: Project, steps: Steps, pairs: str, gone: str | None = None) -> None:
    """Let the pairs of a step table be held from now on as it says, and the pairs of `gone` for nothing any more."""
    if not steps.count(pairs) and not (gone and steps.count(gone)):
        return
    with transaction(steps.connection):
        at = {"dataset": project.config.dataset, "at": _instant(project, steps)}
        for name in (pairs, gone) if gone else (pairs,):
            steps.apply(LAYER, "close_candidates", at, pairs=name)
        steps.apply(LAYER, "insert_candidates", at, pairs=pairs)


def _merge_decided(run: _Run, steps: Steps) -> int:
    """Carry out the merges that are decided and not done yet; returns how many nodes went."""
    steps.keep("pending_merges", LAYER, "select_pending_merges", {"dataset": run.dataset})
    return _merge(run, steps, "pending_merges", ALL_ORIGINS)


def _merge(run: _Run, steps: Steps, merges: str, origins: list[str]) -> int:
    """Merge the pairs of a step table (a, b, method, score, reason), but for groups that hold what cannot be one."""
    if steps.count(merges) == 0:
        return 0
    steps.keep("merge_nodes", LAYER, "select_merge_nodes", merges=merges)
    steps.keep("merge_pairs", LAYER, "select_merge_pairs", merges=merges)
    keep_components(steps, nodes="merge_nodes", pairs="merge_pairs")
    steps.keep("merge_members", LAYER, "select_merge_members", {"dataset": run.dataset})
    steps.keep("apart_pairs", LAYER, "select_apart_pairs", {"dataset": run.dataset})
    steps.keep("pairs", LAYER, "select_group_pairs")
    if steps.count("pairs"):
        score_pairs(steps)
        steps.keep("pair_contradictions", LAYER, "select_pair_contradictions", {"near": NEAR, "origins": origins})
    steps.keep("torn_groups", LAYER, "select_torn_groups", {"origins": origins})
    if merges == "pending_merges" and steps.count("torn_groups"):
        steps.keep("ambiguous", LAYER, "select_ambiguous", {"dataset": run.dataset})
        write_candidates(run.project, steps, "ambiguous")
    steps.keep("merge_reasons", LAYER, "select_merge_reasons", merges=merges)
    steps.keep("merge_assignments", LAYER, "select_merge_assignments")
    assigned = run.connection.table("merge_assignments").to_arrow_table()
    if assigned.num_rows == 0:
        return 0
    counts = assign_identities(
        run.connection, assigned, dataset=run.dataset, batch_id=_batch_id(run), clock=run.project.clock, run_id=run.run_id
    )
    return counts.identities_changed


def _batch_id(run: _Run) -> str:
    committed = run.connection.execute(load_sql("temporal", "select_batch_ids"), {"dataset": run.dataset}).fetchall()
    return f"identity-{len(committed)}"


def _instant(project: Project, steps: Steps) -> datetime:
    """The next instant of the candidates: after the last commit, and after the last decision."""
    at = next_instant(steps, project.clock, project.config.dataset, "", None)
    last = steps.row(LAYER, "select_last_decided")["last"]
    return last + timedelta(microseconds=1) if isinstance(last, datetime) and last >= at else at


def _last_commit(connection: duckdb.DuckDBPyConnection, project: Project) -> datetime | None:
    parameters = {"dataset": project.config.dataset, "source": ""}
    row = connection.execute(load_sql("temporal", "select_last_recorded"), parameters).fetchone()
    return row[0] if row else None


def _totals(connection: duckdb.DuckDBPyConnection, project: Project) -> dict[str, Any]:
    cursor = connection.execute(load_sql(LAYER, "count_candidates"), {"dataset": project.config.dataset})
    names = [column[0] for column in cursor.description or []]
    return dict(zip(names, cursor.fetchone() or (), strict=True))
