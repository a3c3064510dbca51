"""Sensors: what starts a run when the world changed. A tick looks at file names, sizes and times only; it reads no file."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from dagster_project.jobs import BUILD
from stratagraph.project import Project, fingerprint


@dg.sensor(
    name="documents_changed",
    job=BUILD,
    minimum_interval_seconds=60,
    description="Builds when a document file appeared, changed or went away.",
)
def documents_changed(
    context: dg.SensorEvaluationContext, project: dg.ResourceParam[Project]
) -> dg.SensorResult | dg.SkipReason:
    """The cursor holds the last fingerprint and a generation.

    The generation is part of the run key: files that return to an earlier state are a change again, and Dagster ignores
    a run key it has seen before.
    """
    last: dict[str, Any] = json.loads(context.cursor) if context.cursor else {}
    present = documents_fingerprint(project)
    if present == last.get("fingerprint"):
        return dg.SkipReason("the document files are as they were")
    generation = last.get("generation", 0) + 1
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=f"{generation}-{present}", tags={"stratagraph/documents": present})],
        cursor=json.dumps({"fingerprint": present, "generation": generation}),
    )


def documents_fingerprint(project: Project) -> str:
    """A fingerprint of all document files: path, size, time of change."""
    return fingerprint(*(part for file in sorted(set(_document_files(project))) for part in _stamp(file)))


def _document_files(project: Project) -> Iterator[Path]:
    for documents in project.config.documents.values():
        for found in glob.iglob(str(project.root / documents.path), recursive=True):  # noqa: PTH207 - the config holds a glob
            file = Path(found).resolve()
            if file.is_file():
                yield file


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        status = file.stat()
    except FileNotFoundError:  # removed between listing and looking: the next tick sees a stable state
        return (str(file), -1, -1)
    return (str(file), status.st_size, status.st_mtime_ns)
