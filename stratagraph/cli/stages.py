"""The stages of a build, in order, each a function of the library that is imported when its turn comes.

The same order as the Dagster assets have by their dependencies. Showing progress is the caller's business (`build.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from stratagraph.project import Project

Progress = Callable[[int, int], None]


class Result(Protocol):
    """What every stage returns."""

    @property
    def changed(self) -> bool: ...

    def metadata(self) -> dict[str, int | float | str]: ...


@dataclass(frozen=True)
class Stage:
    """A stage that is ready to run.

    Args:
        name: what a person reads.
        run: runs it; the argument is told how much of a long stage is done.
    """

    name: str
    run: Callable[[Progress], Result]


@dataclass(frozen=True)
class Done:
    """A stage that has run."""

    name: str
    changed: bool
    seconds: float
    counts: dict[str, int | float | str]

    def as_dict(self) -> dict[str, object]:
        return {"stage": self.name, "changed": self.changed, "seconds": round(self.seconds, 3), "counts": self.counts}


def stages(project: Project) -> list[Stage]:
    """All stages of a project: one per source, then one per step of the flow."""
    return [
        *(_stage(f"source {name}", "sources.load:load_source", project, name) for name in project.config.sources),
        _stage("foreign keys", "sources.keys.update:update_foreign_keys", project),
        _stage("row statements", "sources.rows:stage_rows", project),
        _stage("documents", "documents.load:load_documents", project),
        _stage("chunks", "documents.chunks:update_chunks", project),
        _stage("document statements", "documents.stage:stage_documents", project),
        _stage("ontology", "ontology.load:update_ontology", project),
        Stage("text statements", partial(_extract, project)),
        _stage("belief", "temporal.run:commit_staged", project),
        _stage("identity", "identity.candidates:find_candidates", project),
        _stage("communities", "communities.run:update_communities", project),
        _stage("search index", "search.build:build_index", project),
        _stage("snapshot", "snapshot.publish:publish", project),
    ]


def run_stage(stage: Stage, on_progress: Progress) -> Done:
    """Run one stage and measure it."""
    started = time.monotonic()
    result = stage.run(on_progress)
    counts = {name: value for name, value in result.metadata().items() if name != "changed"}
    return Done(stage.name, result.changed, time.monotonic() - started, counts)


def _stage(name: str, function: str, project: Project, *arguments: str) -> Stage:
    return Stage(name, lambda _: _function(function)(project, *arguments))


def _function(place: str) -> Callable[..., Result]:
    module, _, name = place.partition(":")
    function: Callable[..., Result] = getattr(import_module(f"stratagraph.{module}"), name)
    return function


def _extract(project: Project, on_progress: Progress) -> Result:
    return _function("extraction.run:extract")(project, on_progress=on_progress)
