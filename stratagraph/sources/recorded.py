"""Reads the dated version files of a recorded source: which there are, when each was recorded, and its records.

Every scalar of a record becomes JSON text, so that the landing tables keep exactly what the file said (`00123` stays
text, `411351` a number) and no column ever changes its type. What a record means is not known here.
"""

from __future__ import annotations

import glob
import hashlib
import json
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import SourceError
from stratagraph.project import Project

ROOT = "record"
FILE, RECORDED_AT, POSITION = "version_file", "version_recorded_at", "version_position"
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# An honest file has at most about one node a byte; YAML aliases can promise billions in a few hundred.
_NODES_PER_BYTE = 10


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


@dataclass(frozen=True, order=True)
class FieldPath:
    """Where a scalar stands: the list it is in (`record`, `terms`) and its path in an item of that list (`id`, `bioguide`)."""

    table: tuple[str, ...]
    field: tuple[str, ...]


def read_records(version: Version, fields: set[FieldPath]) -> list[dict[str, Any]]:
    """The records of a version, tagged with its file name and time and their position, scalars as JSON text.

    The fields that occur are added to `fields`.
    """
    data = _read(version.path)
    records = _parse(version.path, data)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise SourceError("the version file is not a list of records", where=str(version.path))
    encoder = _Encoder(version.path, fields, max(len(data), 1000) * _NODES_PER_BYTE)
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


class _Encoder:
    def __init__(self, path: Path, fields: set[FieldPath], budget: int) -> None:
        self._path = path
        self._fields = fields
        self._budget = budget

    def record(self, record: dict[Any, Any]) -> dict[str, Any]:
        try:
            return self._object(record, FieldPath((ROOT,), ()))
        except RecursionError as error:
            raise SourceError("the version file is nested too deeply", where=str(self._path)) from error

    def _object(self, value: dict[Any, Any], at: FieldPath) -> dict[str, Any]:
        return {str(key): self._value(member, FieldPath(at.table, (*at.field, str(key)))) for key, member in value.items()}

    def _value(self, value: Any, at: FieldPath) -> Any:
        self._budget -= 1
        if self._budget < 0:
            raise SourceError(
                "the version file expands to far more than its size", where=str(self._path), hint="remove its aliases"
            )
        if isinstance(value, dict):
            return self._object(value, at)
        if isinstance(value, (list, tuple, set)):
            return [self._item(item, (*at.table, *at.field)) for item in value]
        self._fields.add(at)
        return None if value is None else _scalar(value)

    def _item(self, item: Any, table: tuple[str, ...]) -> Any:
        # dlt names the only column of a list of scalars `value`, and the table of a list in a list `list`.
        if isinstance(item, dict):
            return self._value(item, FieldPath(table, ()))
        return self._value(item, FieldPath(table, ("list" if isinstance(item, (list, tuple, set)) else "value",)))


def _scalar(value: object) -> str:
    match value:
        case float() if not math.isfinite(value):
            return json.dumps(str(value))
        case str() | bool() | int() | float():
            return json.dumps(value, ensure_ascii=False)
        case datetime() | date() | time():
            return json.dumps(value.isoformat())
        case bytes():
            return json.dumps({"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}, sort_keys=True)
        case _:
            return json.dumps(str(value), ensure_ascii=False)
