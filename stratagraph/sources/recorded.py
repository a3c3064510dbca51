"""Reads the dated version files of a recorded source: which there are, when each was recorded, and its records.

What a record means is not known here.
"""

from __future__ import annotations

import glob
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.formats.records import FieldPath, RecordEncoder, node_budget

ROOT = "record"
FILE, RECORDED_AT, POSITION = "version_file", "version_recorded_at", "version_position"
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Version:
    """A version file."""

    path: Path
    recorded_at: datetime
    sha256: str

    @property
    def file(self) -> str:
        return self.path.name


def find_versions(project: Project, name: str, config: RecordedSource) -> list[Version]:
    """All version files of a source, oldest first."""
    pattern = str(project.root / config.path)
    paths = sorted(path for path in map(Path, glob.glob(pattern, recursive=True)) if path.is_file())  # noqa: PTH207
    if not paths:
        raise SourceError("no file matches the path", where=f"sources.{name}: {pattern}", hint="check the path in the config")
    versions = sorted(
        (Version(path, _recorded_at(path, config.recorded_at), hashlib.sha256(_read(path)).hexdigest()) for path in paths),
        key=lambda version: (version.recorded_at, version.file),
    )
    for earlier, later in pairwise(versions):
        if earlier.recorded_at == later.recorded_at:
            raise SourceError(f"two versions have the same time: {earlier.file}, {later.file}", where=f"sources.{name}")
    names = sorted(version.file for version in versions)
    for one, other in pairwise(names):
        if one == other:
            raise SourceError(f"two version files have the same name: {one}", where=f"sources.{name}")
    return versions


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"the version file cannot be read: {error.strerror}", where=str(path)) from error


def _recorded_at(path: Path, pattern: str) -> datetime:
    """The time the file name starts with: the longest start that the pattern matches."""
    for end in range(len(path.name), 0, -1):
        try:
            parsed = datetime.strptime(path.name[:end], pattern)  # noqa: DTZ007 the file names are UTC by declaration
        except ValueError:
            continue
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    raise SourceError(
        f"the file name does not start with a time like {pattern!r}",
        where=str(path),
        hint="check recorded_at, or narrow the path",
    )


def read_records(version: Version, fields: set[FieldPath]) -> list[dict[str, Any]]:
    """The records of a version, tagged with its file name and time and their position, scalars as JSON text.

    The fields that occur are added to `fields`.
    """
    data = _read(version.path)
    records = _parse(version.path, data)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise SourceError("the version file is not a list of records", where=str(version.path))
    encoder = RecordEncoder(ROOT, str(version.path), fields, node_budget(len(data)))
    tagged = []
    for position, record in enumerate(records):
        encoded = encoder.record(record)
        reserved = [key for key in encoded if key in (FILE, RECORDED_AT, POSITION) or key.startswith("_dlt")]
        if reserved:
            raise SourceError(f"a record has a field with a reserved name: {reserved[0]}", where=str(version.path))
        tagged.append({FILE: version.file, RECORDED_AT: version.recorded_at, POSITION: position, **encoded})
    return tagged


def _parse(path: Path, data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text) if path.suffix.lower() == ".json" else yaml.load(text, Loader=_Loader)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError("the version file is not UTF-8", where=f"{path}:{line}") from error
    except json.JSONDecodeError as error:
        raise SourceError(f"not valid JSON: {error.msg}", where=f"{path}:{error.lineno}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        raise SourceError(f"not valid YAML: {what}", where=f"{path}:{mark.line + 1}" if mark else str(path)) from error
    except (RecursionError, ValueError) as error:
        raise SourceError(f"the version file cannot be read: {error}", where=str(path)) from error
