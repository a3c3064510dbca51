"""Runs one vector in every form its file gives, and lists what does not match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import checks
from .statements import Graph, Row, attribute_rows, batch_rows, snapshot_rows
from .store import LOG, TRAIL, Store
from .story import END, Story, iri, read_story


@dataclass(frozen=True)
class Outcome:
    """What running one file gave."""

    name: str
    points: int
    mismatches: list[str]


def run_file(path: Path) -> Outcome:
    """Run one vector file. A file that cannot be run at all is a mismatch; the others still run."""
    points = 0
    try:
        story = read_story(path)
        points = len(story.expect.get("points") or [])
        if story.semantics not in ("period", "event", "integrity"):
            raise ValueError(f"unknown semantics: {story.semantics}")
        mismatches = list(_run_integrity(story) if story.semantics == "integrity" else _run_statements(story))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a mismatch of this file and of no other
        mismatches = [f"cannot be run: {type(error).__name__}: {error}"]
    return Outcome(path.stem, points, mismatches)


def _run_statements(story: Story) -> Iterator[str]:
    """Batches, and the same story as full loads and as attribute operations."""
    yield from _run_batches(story)
    if story.content.get("snapshots"):
        yield from _run_again(story, "snapshots", lambda store, load: snapshot_rows(story, load, _keys_now(story, store)))
    if story.content.get("attribute_batches"):
        yield from _run_again(story, "attribute_batches", lambda store, batch: attribute_rows(story, batch, store.believed()))


def _run_again(story: Story, form: str, rows: Callable[[Store, dict[str, Any]], list[Row]]) -> Iterator[str]:
    """The story in another form, into a store of its own: the same points."""
    with closing(Store()) as store:
        for number, batch in enumerate(story.steps(form)):
            store.commit(f"{form}-{number}", rows(store, batch), story.instant(batch, "recorded_at"))
        for entry in story.steps("erasures"):
            store.erase(entry["key"])
        yield from checks.check_points(story, store, form)


def _keys_now(story: Story, store: Store) -> dict[str, Any]:
    """Keys that have a value as believed now, to the end of valid time: those a full load may lack."""
    keys = _keys(story)
    return {name: keys[name] for name, segments in store.believed().items() if segments[-1].valid_to == END}


def _keys(story: Story) -> dict[str, Any]:
    """The key of every name in the story."""
    found = {}
    for form, field in (("batches", "statements"), ("snapshots", "rows"), ("attribute_batches", "operations")):
        for batch in story.steps(form):
            for item in batch.get(field) or []:
                name = iri("key", item.get("key"))
                if name is not None:
                    found[name] = item["key"]
    return found


def _run_batches(story: Story) -> Iterator[str]:
    with closing(Store()) as store:
        run = _Run(story, store)
        for number, batch in enumerate(story.steps("batches")):
            yield from run.load(number, batch)
            yield from run.erase_after(number)
        yield from run.check_counts()
        yield from _check_answer(story, store)
        replayed = story.content.get("replay_after_erasure") or []
        if replayed:
            yield from _replay(story, store, replayed)


def _check_answer(story: Story, store: Store) -> Iterator[str]:
    rows = store.rows()
    yield from checks.check_points(story, store, "points")
    yield from checks.check_history(story, rows)
    yield from checks.check_row_counts(story, rows, _keys(story))
    yield from checks.check_state_counts(story, rows)
    yield from checks.check_overlaps(story, rows)


def _replay(story: Story, store: Store, numbers: list[int]) -> Iterator[str]:
    """Load batches once more, as they were dated and as something that is said now: the erased keys stay gone."""
    batches = story.steps("batches")
    erased = [iri("key", entry["key"]) or "" for entry in story.steps("erasures")]
    for form, dated in (("replay", True), ("replay, dated now", False)):
        for number in numbers:
            recorded_at = story.instant(batches[number], "recorded_at") if dated else None
            store.commit(f"{form}-{number}", batch_rows(story, batches[number]), recorded_at)
        for name in erased:
            if store.said(name):
                yield f"{form}: {name} was erased and is back"
        yield from checks.check_points(story, store, form)


class _Run:
    """The first run over the batches: what each of them wrote."""

    def __init__(self, story: Story, store: Store) -> None:
        self.story = story
        self.store = store
        self.contents = store.contents()
        self.quarantined = 0
        self.rejected: list[int] = []
        self.quiet: list[int] = []
        self.erased = False

    def load(self, number: int, batch: dict[str, Any]) -> Iterator[str]:
        rows = batch_rows(self.story, batch)
        counts = self.store.commit(f"batch-{number}", rows, self.story.instant(batch, "recorded_at"))
        before, self.contents = self.contents, self.store.contents()
        changed = {name for name, content in self.contents.items() if content != before[name]}
        if counts is None:
            self.rejected.append(number)
            if changed:
                yield f"batch {number}: was refused, and changed {', '.join(sorted(changed))}"
            return
        self.quarantined += counts.quarantined
        if not changed - LOG - TRAIL:
            self.quiet.append(number)
            if counts.rows_written:
                yield f"batch {number}: changed no table of belief, and counts {counts.rows_written} rows"
        if not counts.new and not counts.withdrawn and changed - TRAIL:
            yield f"batch {number}: said nothing new, and changed {', '.join(sorted(changed - TRAIL))}"

    def erase_after(self, number: int) -> Iterator[str]:
        erasures = self.story.steps("erasures")
        for entry in erasures:
            if entry["after_batch"] != number:
                continue
            # A key that is never erased is counted before the first erasure.
            counted = [entry["key"]] if self.erased else [entry["key"], *self._kept(erasures)]
            yield from checks.check_rows_before_erasure(self.story, self.store.rows(), counted)
            self.erased = True
            self.store.erase(entry["key"])
            name = iri("key", entry["key"]) or ""
            if self.store.said(name):
                yield f"erasure after batch {number}: {name} is still there"
            self.contents = self.store.contents()

    def _kept(self, erasures: list[dict[str, Any]]) -> list[Any]:
        erased = {iri("key", entry["key"]) for entry in erasures}
        return [key for name, key in _keys(self.story).items() if name not in erased]

    def check_counts(self) -> Iterator[str]:
        expect = self.story.expect
        # Which batches change nothing is said of the run before the first erasure.
        last = min((entry["after_batch"] for entry in self.story.steps("erasures")), default=len(self.story.steps("batches")))
        quiet = [number for number in self.quiet if number <= last]
        no_ops = expect.get("no_op_batches")
        for name, wanted, found in (
            ("quarantined", expect.get("quarantined"), self.quarantined),
            ("rejected_batches", sorted(expect.get("rejected_batches") or []), self.rejected),
            ("no_op_batches", None if no_ops is None else sorted(n for n in no_ops if n <= last), quiet),
        ):
            if wanted is not None and wanted != found:
                yield f"{name}: expected {wanted}, found {found}"


def _run_integrity(story: Story) -> Iterator[str]:
    """Steps of nodes and edges, each accepted or refused as a whole."""
    policy = str(story.content["mode"])
    graph = Graph(story)
    with closing(Store()) as store:
        before = store.contents()
        for number, step in enumerate(story.steps("steps")):
            counts = store.commit(f"step-{number}", graph.rows(step), story.instant(step, "recorded_at"), integrity=policy)
            verdict = "rejected" if counts is None else "accepted"
            if verdict != (step.get("expected") or "accepted"):
                yield f"step {number}: expected {step['expected']}, was {verdict}"
            after = store.contents()
            if counts is None and after != before:
                yield f"step {number}: was refused, and changed something"
            before = after
        yield from checks.check_points(story, store, "points")


def summary(outcomes: list[Outcome]) -> str:
    """The last line."""
    points = sum(outcome.points for outcome in outcomes)
    mismatches = sum(len(outcome.mismatches) for outcome in outcomes)
    return f"{len(outcomes)} vectors, {points} points, {mismatches} mismatches"


def lines(outcomes: list[Outcome]) -> Iterator[str]:
    """What to print: each mismatch, and one last line."""
    for outcome in outcomes:
        for mismatch in outcome.mismatches:
            yield f"{outcome.name}: {mismatch}"
    yield summary(outcomes)
