"""The data directory: space, locks, and whether there is a snapshot that opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from stratagraph.cli.health.check import Check
from stratagraph.errors import StratagraphError

if TYPE_CHECKING:
    from stratagraph.project import Project

_MEGABYTE = 1_000_000
_FAIL_BELOW = 200 * _MEGABYTE
_WARN_BELOW = 1_000 * _MEGABYTE


def check_storage(project: Project) -> Iterator[Check]:
    """Space first, because it explains the rest."""
    yield _disk(project)
    yield _lock("landing file", project.landing)
    yield _lock("warehouse", project.warehouse)
    yield _snapshot(project.data_dir)


def _disk(project: Project) -> Check:
    folder = project.data_dir
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return Check("disk", "fail", f"{folder} is not writable", "change its permissions, or data_dir")
    free = shutil.disk_usage(folder).free
    # A snapshot is built beside the previous one, so a build needs room for what the warehouse holds once more.
    held = project.warehouse.stat().st_size if project.warehouse.exists() else 0
    message = f"{free / _MEGABYTE:,.0f} MB free for {project.data_dir}"
    hint = "free some space, or move data_dir"
    if free < _FAIL_BELOW:
        return Check("disk", "fail", message, hint)
    if free < _WARN_BELOW or free < 2 * held:
        return Check("disk", "warn", f"{message}; the warehouse takes {held / _MEGABYTE:,.0f} MB", hint)
    return Check("disk", "ok", message)


def _lock(name: str, file: Path) -> Check:
    if not file.exists():
        return Check(name, "ok", f"{file}: not there yet; the first build makes it")
    try:
        duckdb.connect(str(file), read_only=True).close()
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        if "set lock" in reason:  # not every message with "lock" in it: there is "block" as well
            return Check(name, "warn", reason, "a build is running, or a program left it open: wait, or end that process")
        return Check(name, "fail", f"{file}: {reason}", "restore it from a backup, or delete it and build again")
    return Check(name, "ok", f"{file}: not locked")


def _snapshot(data_dir: Path) -> Check:
    if not (data_dir / "snapshots" / "LATEST").exists():
        return Check("snapshot", "warn", "none was published yet", "run `stratagraph build`")
    from stratagraph.snapshot.reader import open_snapshot

    try:
        with open_snapshot(data_dir) as snapshot:
            snapshot.status()
            return Check("snapshot", "ok", f"{snapshot.id} opens")
    except (StratagraphError, OSError, duckdb.Error) as error:
        return Check(
            "snapshot", "fail", str(error), "`stratagraph snapshot verify` says more; publish again with `stratagraph build`"
        )
