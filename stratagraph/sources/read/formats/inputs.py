"""Finds the files of a source and opens them: as they are, unpacked from gzip, or as members of a ZIP archive.

A file counts only if it lies below the folder that its pattern starts in, after symbolic links are followed. Nothing is ever
unpacked to the disk, and never more than an honest file of its size would hold. What stands in the files is not known here.
"""

from __future__ import annotations

import fnmatch
import glob
import gzip
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from stratagraph.errors import SourceError
from stratagraph.project import Project

# Tables of much repetition pack 1:100; what is much denser than that, and large, was made to fill a disk.
_MAX_RATIO = 250
_RATIO_FROM = 64_000_000
_MAX_MEMBERS = 10_000
_ENCRYPTED = 0x1
_CHUNK = 1 << 20
_UNPACKING_ERRORS = (EOFError, NotImplementedError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, order=True)
class Input:
    """A file, or a member of a ZIP archive.

    Args:
        path: what it is called: relative to the config file, with forward slashes (`feed.zip/stops.txt`).
        absolute: the file on the disk.
        member: name in the archive; empty for a file of its own.
    """

    path: str
    absolute: Path
    member: str = ""

    @property
    def name(self) -> str:
        """The file's name without `.gz`."""
        name = PurePosixPath(self.member).name if self.member else self.absolute.name
        return name[:-3] if self._is_gzip else name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def is_packed(self) -> bool:
        return bool(self.member) or self._is_gzip

    @property
    def _is_gzip(self) -> bool:
        return not self.member and self.absolute.name.lower().endswith(".gz")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes, unpacked. What goes wrong while they are read is a SourceError."""
        try:
            with self._opened() as stream:
                yield stream
        except OSError as error:  # gzip's own error is one
            raise SourceError(f"it cannot be read: {error.strerror or error}", where=self.path) from error
        except zipfile.BadZipFile as error:
            raise SourceError(f"the archive is damaged: {error}", where=self.path) from error

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if self.member:
            with zipfile.ZipFile(self.absolute) as archive:
                stream, size = self._entry(archive)
                with stream:
                    yield _Unpacked(stream, size, self.path).buffered()
        elif self._is_gzip:
            with gzip.open(self.absolute) as unpacked:
                yield _Unpacked(unpacked, self.absolute.stat().st_size, self.path).buffered()
        else:
            with self.absolute.open("rb") as plain:
                yield plain

    def _entry(self, archive: zipfile.ZipFile) -> tuple[IO[bytes], int]:
        try:
            entry = archive.getinfo(self.member)
            if entry.flag_bits & _ENCRYPTED:
                raise SourceError("it is encrypted", where=self.path, hint="unpack the archive yourself")
            return archive.open(entry), entry.compress_size
        except (KeyError, NotImplementedError, RuntimeError) as error:
            raise SourceError(f"it cannot be unpacked: {error}", where=self.path) from error

    def digest(self) -> str:
        """Hash of its bytes, unpacked."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def read(self, limit: int) -> bytes:
        """All its bytes, if they are not more than the limit."""
        with self.open() as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise SourceError(
                f"it has more than {limit:,} bytes, which is too much to be held in memory", where=self.path,
                hint="as JSON Lines (.jsonl), it would be read line by line",
            )  # fmt: skip
        return data


class _Unpacked(io.RawIOBase):
    """Unpacked bytes, up to what the packed size can honestly hold."""

    def __init__(self, stream: object, packed: int, where: str) -> None:
        self._stream = stream
        self._limit = max(_RATIO_FROM, packed * _MAX_RATIO)
        self._count = 0
        self._where = where

    def buffered(self) -> BinaryIO:
        return io.BufferedReader(self, _CHUNK)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        try:
            count: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        except _UNPACKING_ERRORS as error:
            raise SourceError(f"it cannot be unpacked: {error}", where=self._where) from error
        self._count += count
        if self._count > self._limit:
            raise SourceError(
                f"it unpacks to more than {self._limit:,} bytes, {_MAX_RATIO} times its size", where=self._where,
                hint="if that is meant, unpack it yourself",
            )  # fmt: skip
        return count


def find_inputs(project: Project, key: str, pattern: str) -> list[Input]:
    """All files that a pattern matches, sorted by path. There must be one."""
    root, rest = _split(project, pattern)
    outer, inner = _archive(rest)
    matches = sorted(glob.iglob(outer, root_dir=root, recursive=True)) if outer else []  # noqa: PTH207 - Path.glob yields hidden files
    matches = [match for match in matches if not (root / match).is_dir()]
    found = []
    for match in matches:
        file = Input(os.path.relpath(root / match, project.root).replace(os.sep, "/"), _examined(root, match))
        found += _members(file, inner) if inner else [file]
    if not found:
        raise SourceError(
            f"no file matches {pattern!r}", where=key,
            hint=f"the pattern is relative to the config file; it was looked for in {root}",
        )  # fmt: skip
    return sorted(found)


def file_pattern(pattern: str) -> str:
    """The pattern of the files on the disk: `feed.zip` for the members `feed.zip/*.txt`."""
    return _archive(pattern)[0]


def _split(project: Project, pattern: str) -> tuple[Path, str]:
    """The folder before the first wildcard, and the rest of the pattern. A plain path is its folder and its name."""
    parts = Path(pattern).parts
    plain = next((at for at, part in enumerate(parts) if glob.has_magic(part) or part.lower().endswith(".zip")), len(parts) - 1)
    return project.resolve(Path(*parts[:plain])), str(Path(*parts[plain:])) if parts else ""


def _archive(pattern: str) -> tuple[str, str]:
    """The pattern of the files, and that of the members if the files are ZIP archives."""
    parts = Path(pattern).parts
    for at, part in enumerate(parts[:-1]):
        if part.lower().endswith(".zip"):
            return str(Path(*parts[: at + 1])), "/".join(parts[at + 1 :])
    return pattern, ""


def _examined(root: Path, match: str) -> Path:
    try:
        real = (root / match).resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise SourceError(f"it cannot be read: {getattr(error, 'strerror', None) or error}", where=str(root / match)) from error
    if not real.is_relative_to(root):
        raise SourceError(
            "a symbolic link leads out of the folder of the source", where=str(root / match),
            hint="name the folder that it leads to in the path",
        )  # fmt: skip
    if not real.is_file():  # reading a named pipe would wait for ever
        raise SourceError("it is not a regular file", where=str(root / match), hint="narrow the path")
    return real


def _members(file: Input, pattern: str) -> list[Input]:
    """The members of an archive whose name matches; `*` stops at a slash, as it does for files."""
    try:
        with zipfile.ZipFile(file.absolute) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise SourceError(f"the ZIP archive cannot be opened: {error}", where=file.path) from error
    names = [entry.filename for entry in entries if not entry.is_dir()]
    if len(entries) > _MAX_MEMBERS:
        raise SourceError(f"the archive has {len(entries)} members; at most {_MAX_MEMBERS} are read", where=file.path)
    wanted = [name for name in names if _matches(name, pattern)]
    twice = sorted({name for name in wanted if names.count(name) > 1})
    if twice:
        raise SourceError(f"the archive has two members called {twice[0]!r}", where=file.path)
    return [Input(f"{file.path}/{name}", file.absolute, name) for name in wanted]


def _matches(name: str, pattern: str) -> bool:
    parts, wanted = name.split("/"), pattern.split("/")
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return (
        not hidden
        and len(parts) == len(wanted)
        and all(fnmatch.fnmatchcase(part, want) for part, want in zip(parts, wanted, strict=True))
    )
