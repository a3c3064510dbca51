"""Sensors: what starts a run when the world changed. A tick looks at file names, sizes and times only; it reads no file."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from assets.partitions import unknown_versions, versions_partitions
from dagster_project.jobs import BUILD
from stratagraph.config.sources import DltSource, FileSource, RecordedSource, Source, SqlSource
from stratagraph.errors import StratagraphError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.read.formats.inputs import file_pattern

_SQLITE = re.compile(r"sqlite(?:\+\w+)?:///(?P<path>[^?]+)")


@dg.sensor(
    name="documents_changed",
    job=BUILD,
    minimum_interval_seconds=60,
    description="Builds when a document file appeared, changed or went away.",
)
def documents_changed(
    context: dg.SensorEvaluationContext, project: dg.ResourceParam[Project]
) -> dg.SensorResult | dg.SkipReason:
    """Ask for a run when the document files are not as they were."""
    return _when_changed(context, documents_fingerprint(project), "documents")


@dg.sensor(
    name="sources_changed",
    job=BUILD,
    minimum_interval_seconds=60,
    description="Builds when a file of a source appeared, changed or went away. Servers and APIs can't be watched like that.",
)
def sources_changed(context: dg.SensorEvaluationContext, project: dg.ResourceParam[Project]) -> dg.SensorResult | dg.SkipReason:
    """Ask for a run when the files of the sources are not as they were; new versions get their partitions."""
    files = list(_source_files(project))
    if not files:
        return dg.SkipReason("no source is made of files")
    result = _when_changed(context, _fingerprint(files), "sources")
    if isinstance(result, dg.SkipReason):
        return result
    requests = [
        versions_partitions(name).build_add_request(new)
        for name, source in sorted(project.config.sources.items())
        if isinstance(source, RecordedSource) and (new := _new_versions(context, project, name, source))
    ]
    return result._replace(dynamic_partitions_requests=requests)


def _when_changed(context: dg.SensorEvaluationContext, present: str, what: str) -> dg.SensorResult | dg.SkipReason:
    """The cursor holds the last fingerprint and a generation.

    The generation is part of the run key: files that return to an earlier state are a change again, and Dagster ignores
    a run key it has seen before.
    """
    last: dict[str, Any] = json.loads(context.cursor) if context.cursor else {}
    if present == last.get("fingerprint"):
        return dg.SkipReason(f"the files of the {what} are as they were")
    generation = last.get("generation", 0) + 1
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=f"{generation}-{present}", tags={f"stratagraph/{what}": present})],
        cursor=json.dumps({"fingerprint": present, "generation": generation}),
    )


def documents_fingerprint(project: Project) -> str:
    """A fingerprint of all document files: path, size, time of change."""
    return _fingerprint(file for documents in project.config.documents.values() for file in _matching(project, documents.path))


def _source_files(project: Project) -> Iterator[Path]:
    """The files that the sources are read from, as far as they are read from files."""
    for source in project.config.sources.values():
        for pattern in _patterns(source):
            yield from _matching(project, pattern)


def _patterns(source: Source) -> Iterator[str]:
    """Globs of a source's files, relative to the config. A repository changes when its refs do."""
    match source:
        case SqlSource():
            found = _SQLITE.fullmatch(source.url)
            if found:
                path = glob.escape(found["path"])
                yield from (path, f"{path}-wal")
        case FileSource():
            yield from map(file_pattern, [source.path] if source.path else source.tables.values())
        case DltSource():  # its code, if it is the project's own
            yield glob.escape(source.source.partition(":")[0].replace(".", "/")) + ".py"
        case RecordedSource(git=None):
            yield from (pattern for pattern in (source.path, source.manifest and source.manifest.path) if pattern)
        case RecordedSource():
            assert source.git is not None
            for folder in (source.git.repository, f"{source.git.repository}/.git"):
                yield from (f"{folder}/{part}" for part in ("HEAD", "packed-refs", "refs/**/*"))


def _matching(project: Project, pattern: str) -> Iterator[Path]:
    for found in glob.iglob(str(project.root / pattern), recursive=True):  # noqa: PTH207 - the config holds a glob
        file = Path(found).resolve()
        if file.is_file():
            yield file


def _fingerprint(files: Iterable[Path]) -> str:
    return fingerprint(*(part for file in sorted(set(files)) for part in _stamp(file)))


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        status = file.stat()
    except FileNotFoundError:  # removed between listing and looking: the next tick sees a stable state
        return (str(file), -1, -1)
    return (str(file), status.st_size, status.st_mtime_ns)


def _new_versions(context: dg.SensorEvaluationContext, project: Project, name: str, source: RecordedSource) -> list[str]:
    """Versions without a partition. What is wrong with them is for the load to say, which is asked for in any case."""
    from stratagraph.sources.recorded.series import find_versions

    try:
        versions = [version.file for version in find_versions(project, name, source)]
    except StratagraphError as error:
        context.log.warning(f"the versions of {name} can't be listed: {error}")
        return []
    return unknown_versions(context.instance, name, versions)
