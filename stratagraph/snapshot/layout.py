"""Where the files of a snapshot are, and its manifest: written by the publisher, checked by the reader."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from stratagraph.errors import SnapshotError

FORMAT_VERSION = "3.0"
MIN_READER = "0.1.0"  # the first release that reads this format
MANIFEST, LATEST, DATABASE = "manifest.json", "LATEST", "snapshot.duckdb"
TABLES, INDEX, USER_SQL = "tables", "index", "sql"
UNITS = "units"
# Tables of schema graph that a snapshot holds as they are; nodes and edges are views there, stored as one file each.
PLAIN_TABLES = (
    "statements", "evidence", "claims", "identities", "conflicts", "quarantine", "documents", "chunks", "mentions",
    "communities", "community_members", "community_reports", "foreign_keys", "properties", "runs", "ontology_properties",
    "ontology_implications", "ontology_classes",
)  # fmt: skip
SPLIT_TABLES = ("nodes", "edges")


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_snapshot(path: Path) -> Path:
    """The folder of a snapshot: given itself, or as the LATEST of a snapshots folder or of a data directory."""
    for folder in (path, path / "snapshots"):
        if (folder / MANIFEST).is_file():
            return folder
        if (folder / LATEST).is_file():
            return _latest(folder)
    raise SnapshotError(
        "there is no snapshot here", where=str(path),
        hint="give a snapshot folder, a snapshots folder with a LATEST file, or a data directory",
    )  # fmt: skip


def _latest(folder: Path) -> Path:
    """What LATEST names. Retention may remove it right after LATEST was read; then LATEST names another one by now."""
    name, before = (folder / LATEST).read_text(encoding="utf-8").strip(), None
    while not name or not (folder / name / MANIFEST).is_file():
        if name == before:
            raise SnapshotError("LATEST names a snapshot that is not there", where=str(folder / LATEST), hint="publish again")
        name, before = (folder / LATEST).read_text(encoding="utf-8").strip(), name
    return folder / name


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a snapshot, if this version can read its format."""
    file = folder / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        major = int(str(manifest["format_version"]).split(".")[0])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"the manifest is missing or damaged: {error}", where=str(file), hint="publish again") from error
    ours = int(FORMAT_VERSION.split(".", maxsplit=1)[0])
    if major != ours:
        newer = f"install stratagraph >= {manifest.get('min_reader', 'a newer release')}"
        raise SnapshotError(
            f"the snapshot has format {manifest['format_version']}, this version reads {FORMAT_VERSION}", where=str(folder),
            hint=newer if major > ours else "publish again",
        )  # fmt: skip
    unusable = [key for key, usable in _NEEDED.items() if not usable(manifest.get(key))]
    if unusable:
        raise SnapshotError(f"the manifest lacks a usable {', '.join(unusable)}", where=str(file), hint="publish again")
    return manifest  # type: ignore[no-any-return]


def _is_instant(value: object) -> bool:
    try:
        return datetime.fromisoformat(str(value)).tzinfo is not None
    except ValueError:
        return False


def _are_files(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(file, dict) and isinstance(file.get("bytes"), int) and isinstance(file.get("sha256"), str)
        for file in value.values()
    )


# What a reader uses of a manifest, and whether it can.
_NEEDED: dict[str, Callable[[object], bool]] = {
    "snapshot_id": lambda value: isinstance(value, str) and Path(value).name == value,
    "known_at": _is_instant,
    "files": _are_files,
    "rows": lambda value: isinstance(value, dict),
    "rows_indexed": lambda value: isinstance(value, int),
    "embedding": lambda value: isinstance(value, dict),
    "tokenizer": lambda value: isinstance(value, dict),
}


def damaged_files(folder: Path, manifest: dict[str, Any], *, contents: bool) -> list[str]:
    """Files that are missing or are not what the manifest says, by size, or by content as well."""
    damaged = []
    for name, expected in sorted(manifest["files"].items()):
        path = folder / name
        if (
            not path.is_file()
            or path.stat().st_size != expected["bytes"]
            or (contents and file_hash(path) != expected["sha256"])
        ):
            damaged.append(name)
    return damaged
