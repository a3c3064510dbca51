"""Which versions a recorded source has, and when each was recorded: by the names of its files, by a manifest, or by git.

What stands in a version is read by `files.py`, git by `git_history.py`; what was loaded already is not known here.
"""

from __future__ import annotations

import glob
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from stratagraph.config.sources import GitHistory, RecordedSource, VersionManifest
from stratagraph.errors import ConfigError, SourceError
from stratagraph.project import Project
from stratagraph.sources.recorded.files import Format, records_in
from stratagraph.sources.recorded.git_history import Commit, commits_of, read_blob

ROOT = "record"
FILE, RECORDED_AT, POSITION = "version_file", "version_recorded_at", "version_position"
_TICK = timedelta(microseconds=1)
_BLOCK = 2**20


@dataclass(frozen=True)
class Version:
    """A version of a recorded source.

    Args:
        file: its name, unique within the source: the name of the file, or `<commit time>_<commit><suffix>`.
        recorded_at: when it was recorded, later than the version before it.
        where: what messages call it.
        open: opens what it says.
        digest: a function of its content.
        moved: whether recorded_at was moved behind the version before, because git's own time is not later.
        empty: whether a commit took the file away: it says that there is nothing.
    """

    file: str
    recorded_at: datetime
    where: str
    open: Callable[[], BinaryIO] = field(compare=False, repr=False)
    digest: Callable[[], str] = field(compare=False, repr=False)
    moved: bool = False
    empty: bool = False


def find_versions(project: Project, name: str, config: RecordedSource) -> list[Version]:
    """All versions of a source that are not skipped, oldest first. No version is read."""
    where = f"sources.{name}"
    if config.git is not None:
        return _in_order(_of_git(project, config.git, where), config.skip)
    found = list(_of_files(project, config, where))
    versions = sorted(
        (version for version in found if version.file not in config.skip),
        key=lambda version: (version.recorded_at, version.file),
    )
    for earlier, later in pairwise(versions):
        if earlier.recorded_at == later.recorded_at:
            raise SourceError(f"two versions have the same time: {earlier.file}, {later.file}", where=where)
    names = sorted(version.file for version in found)
    for one, other in pairwise(names):
        if one == other:
            raise SourceError(f"two version files have the same name: {one}", where=where)
    return versions


def check_accepted(config: RecordedSource, versions: Sequence[Version], known: Sequence[str], where: str) -> None:
    """Refuse to accept a version that there is not: a slip of the pen would let nothing in, or the wrong one."""
    names = {version.file for version in versions} | set(known)
    for name in config.accept:
        if name not in names:
            last = ", ".join(sorted(names)[-5:])
            raise ConfigError(f"there is no version {name!r}", where=f"{where}.accept", hint=f"the last ones are: {last}")


def _of_files(project: Project, config: RecordedSource, where: str) -> Iterator[Version]:
    pattern = str(project.root / str(config.path))
    manifest = _read_manifest(project, config.manifest) if config.manifest is not None else None
    own = project.root / config.manifest.path if config.manifest is not None else None
    paths = sorted(path for path in map(Path, glob.glob(pattern, recursive=True)) if path.is_file())  # noqa: PTH207
    paths = [path for path in paths if own is None or path.resolve() != own.resolve()]
    if not paths:
        raise SourceError("no file matches the path", where=f"{where}: {pattern}", hint="check the path in the config")
    for path in paths:
        if path.name in config.skip:
            recorded_at = datetime.min.replace(tzinfo=UTC)  # its time need not be known
        elif manifest is not None:
            recorded_at = _in_manifest(path, manifest, str(own))
        else:
            recorded_at = _in_name(path, str(config.recorded_at))
        yield Version(path.name, recorded_at, str(path), partial(_open, path), partial(_digest, path))


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise SourceError(f"the version file cannot be read: {error.strerror}", where=str(path)) from error


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with _open(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _in_name(path: Path, pattern: str) -> datetime:
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


def _read_manifest(project: Project, config: VersionManifest) -> dict[Path, datetime]:
    """Resolved version file -> its time."""
    path = project.root / config.path
    times: dict[Path, datetime] = {}
    with _open(path) as file:
        for number, entry in enumerate(records_in(file, path.name, Format(), str(path)), start=1):
            where = f"{path}: entry {number}"
            for column in (config.file, config.recorded_at):
                if not isinstance(entry.get(column), (str, datetime)):
                    raise SourceError(f"the entry has no {column!r}", where=where, hint=f"its fields are: {', '.join(entry)}")
            version = (path.parent / str(entry[config.file])).resolve()
            recorded_at = _instant(entry[config.recorded_at], where)
            if times.setdefault(version, recorded_at) != recorded_at:
                raise SourceError(f"the manifest gives two times for {entry[config.file]}", where=where)
    return times


def _instant(text: str | datetime, where: str) -> datetime:
    try:
        instant = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    except ValueError as error:
        raise SourceError(f"{text!r} is no instant", where=where, hint="such as 2024-05-01T12:00:00+02:00") from error
    if instant.tzinfo is None:
        raise SourceError(f"{text!r} names no zone", where=where, hint="such as 2024-05-01T12:00:00+02:00")
    return instant.astimezone(UTC)


def _in_manifest(path: Path, times: dict[Path, datetime], manifest: str) -> datetime:
    found = times.get(path.resolve())
    if found is None:
        raise SourceError(
            "the manifest does not name the version", where=str(path), hint=f"add it to {manifest}, or narrow the path"
        )
    return found


def _of_git(project: Project, config: GitHistory, where: str) -> list[Version]:
    repository = (project.root / config.repository).resolve()
    found = commits_of(repository, config.path, config.ref, f"{where}.git")
    if not found:
        hint = "check the path, from the repository's root"
        raise SourceError(f"no commit changed {config.path!r}", where=f"{where}.git", hint=hint)
    suffix = "".join(Path(config.path).suffixes[-2:])
    return [_of_commit(repository, commit, config.path, suffix) for commit in found]


def _of_commit(repository: Path, commit: Commit, path: str, suffix: str) -> Version:
    name = f"{commit.time:%Y-%m-%dT%H%M%SZ}_{commit.commit[:10]}{suffix}"
    where = f"{path} of commit {commit.commit[:10]}"

    def opened() -> BinaryIO:
        return io.BytesIO(read_blob(repository, commit.blob, where) if commit.blob is not None else b"")

    def digest() -> str:
        return hashlib.sha256(f"{commit.commit} {commit.blob}".encode()).hexdigest()

    return Version(name, commit.time, where, opened, digest, empty=commit.blob is None)


def _in_order(versions: Sequence[Version], skip: Sequence[str]) -> list[Version]:
    """The versions in the order of their commits, each later than the one before: clocks of committers differ."""
    ordered: list[Version] = []
    for version in versions:
        if version.file in skip:
            continue
        last = ordered[-1].recorded_at if ordered else None
        if last is not None and version.recorded_at <= last:
            ordered.append(replace(version, recorded_at=last + _TICK, moved=True))
        else:
            ordered.append(version)
    return ordered
