"""Finds the files of a documents source, and says what each holds (size, hash) without reading them twice into memory.

A file counts only if it lies below the folder the pattern starts in, after symbolic links are followed.
"""

from __future__ import annotations

import glob
import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from stratagraph.documents.checks import MAX_BYTES, printable, refuse
from stratagraph.documents.records import Refusal, RefusedDocumentError
from stratagraph.errors import SourceError
from stratagraph.project import Project


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a source: its path as stored (relative to the config file, forward slashes) and what identifies its content."""

    path: str
    absolute: Path
    size: int
    digest: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a pattern matched; `empty` when its folder is there and has nothing in it."""

    files: list[SourceFile] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    empty: bool = False


def find_files(project: Project, key: str, pattern: str) -> Found:
    """All files of a documents source, sorted by path."""
    root, rest = _split(project, pattern)
    matches = sorted(glob.iglob(rest, root_dir=root, recursive=True)) if rest else []  # noqa: PTH207 - Path.glob yields hidden files
    matches = [match for match in matches if not (root / match).is_dir()]
    if not matches:
        if glob.has_magic(rest) and root.is_dir() and not any(not child.name.startswith(".") for child in root.iterdir()):
            return Found(empty=True)
        raise SourceError(
            f"no file matches {pattern!r}",
            where=f"documents.{key}.path",
            hint=f"the pattern is relative to the config file; it was looked for in {root}",
        )
    found = Found()
    for match in matches:
        absolute = root / match
        path = printable(os.path.relpath(absolute, project.root).replace(os.sep, "/"))
        try:
            found.files.append(_examine(absolute, path, root))
        except RefusedDocumentError as error:
            found.refusals.append(refuse(path, (), error))
    return found


def read_bytes(file: SourceFile) -> bytes:
    """The content of a file that was found."""
    try:
        return file.absolute.read_bytes()
    except OSError as error:
        raise RefusedDocumentError("unreadable", f"{error.strerror}") from error


def _split(project: Project, pattern: str) -> tuple[Path, str]:
    """The folder before the first wildcard, and the rest of the pattern. A plain path is its folder and its name."""
    parts = Path(pattern).parts
    plain = next((index for index, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    return project.resolve(Path(*parts[:plain])), str(Path(*parts[plain:])) if parts else ""


def _examine(absolute: Path, path: str, root: Path) -> SourceFile:
    try:
        path.encode("utf-8")
        real = absolute.resolve(strict=True)
        if not real.is_relative_to(root):
            raise RefusedDocumentError("outside_root", "a symbolic link leads out of the folder of the source")
        if not real.is_file():  # reading a named pipe would wait for ever
            raise RefusedDocumentError("not_a_file", "not a regular file")
        status = real.stat()
        if status.st_size > MAX_BYTES:
            raise RefusedDocumentError("too_large", f"{status.st_size} bytes; the limit is {MAX_BYTES}")
        with real.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise RefusedDocumentError("unreadable", getattr(error, "strerror", None) or str(error)) from error
    return SourceFile(path, real, status.st_size, digest, status.st_mtime_ns)
