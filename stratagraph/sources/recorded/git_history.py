"""Reads the history of one file out of a git repository: which commits changed it, when, and what it said then.

A repository is not trusted: only plumbing commands that start no program are called, with hooks, monitors, filters, signatures
and the network switched off, and with nothing of the caller's environment but the search path. Nothing is written.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stratagraph.errors import SourceError

_SECONDS = 600
# What a repository's own config could otherwise make git start or fetch.
_SETTINGS = (
    "core.fsmonitor=false", f"core.hooksPath={os.devnull}", f"core.attributesFile={os.devnull}", "core.pager=cat",
    "core.sshCommand=false", "core.gitProxy=false", "core.bare=true", "log.showSignature=false", "gpg.program=false",
    "protocol.allow=never", "credential.helper=",
)  # fmt: skip


@dataclass(frozen=True)
class Commit:
    """A commit that changed the file. `blob` is None where it took it away."""

    commit: str
    time: datetime
    blob: str | None


def commits_of(repository: Path, path: str, ref: str, where: str) -> list[Commit]:
    """The commits that changed a file, along first parents, oldest first."""
    if "\n" in path or "\0" in path:
        raise SourceError("the path holds a line break", where=where)
    top = _git_folder(repository, where)
    if _run(top, where, "rev-parse", "--is-shallow-repository").strip() == b"true":
        raise SourceError(
            "the repository is a shallow clone, which has no whole history", where=where, hint="git fetch --unshallow"
        )
    commit = _run(top, where, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    order = ("--first-parent", "--topo-order", "--reverse", "--format=%H %ct")
    lines = _run(top, where, "rev-list", *order, commit, "--", path).decode().splitlines()
    found = [line.split(" ") for line in lines if not line.startswith("commit ")]
    blobs = _blobs(top, [number for number, _ in found], path, where)
    return [
        Commit(number, datetime.fromtimestamp(int(seconds), UTC), blob)
        for (number, seconds), blob in zip(found, blobs, strict=True)
    ]


def read_blob(repository: Path, blob: str, where: str) -> bytes:
    """What a file said."""
    return _run(_git_folder(repository, where), where, "cat-file", "blob", blob)


def _blobs(top: Path, commits: list[str], path: str, where: str) -> list[str | None]:
    """The file's blob in each commit."""
    asked = "".join(f"{commit}:{path}\n" for commit in commits).encode()
    lines = _run(top, where, "cat-file", "--batch-check=%(objecttype) %(objectname)", given=asked).decode().splitlines()
    blobs: list[str | None] = []
    for line in lines:
        kind, _, name = line.partition(" ")
        if kind in ("tree", "commit"):
            raise SourceError(f"{path!r} is a folder", where=where, hint="name one file of the repository")
        blobs.append(name if kind == "blob" else None)
    return blobs


def _git_folder(repository: Path, where: str) -> Path:
    """The folder of the repository's database: paths are then relative to its root, wherever it is checked out."""
    if not repository.is_dir():
        raise SourceError(f"there is no folder {repository}", where=where, hint="check repository, relative to the config file")
    bare = (repository / "HEAD").is_file() and (repository / "objects").is_dir()
    arguments = ("rev-parse", "--absolute-git-dir")
    return Path(os.fsdecode(_run(repository, where, *arguments, given=None, bare=bare)).rstrip("\n"))


def _run(folder: Path, where: str, *arguments: str, given: bytes | None = None, bare: bool = True) -> bytes:
    settings = [part for setting in (*_SETTINGS, f"safe.directory={_work_folder(folder)}") for part in ("-c", setting)]
    place = ["--git-dir", "."] if bare else []
    command = ["git", "--no-pager", "--no-replace-objects", "--literal-pathspecs", *settings, *place, *arguments]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }  # fmt: skip
    try:
        # A fixed program and no shell; what comes from outside stands behind -- or --end-of-options, or is a hash.
        done = subprocess.run(
            command, cwd=folder, env=environment, input=given or b"", capture_output=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed", where=where, hint="install git, or export the versions as files") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git took longer than {_SECONDS} seconds", where=where) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SourceError(f"git could not read the repository: {said[-1] if said else done.returncode}", where=where)
    return done.stdout


def _work_folder(folder: Path) -> Path:
    return folder.parent if folder.name == ".git" else folder
