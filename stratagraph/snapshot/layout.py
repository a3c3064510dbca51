"""Where the files of a snapshot are, and its manifest: written by the publisher, checked by the reader."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from stratagraph.errors import SnapshotError

FORMAT_VERSION = "1.0"
MIN_READER = "0.1.0"  # the first release that reads this format
MANIFEST, LATEST, DATABASE = "manifest.json", "LATEST", "snapshot.duckdb"
TABLES, INDEX, USER_SQL = "tables", "index", "sql"
UNITS = "units"
# Tables of schema graph that a snapshot holds as they are; nodes and edges are views there, stored as one file each.
PLAIN_TABLES = (
    "statements", "evidence", "support", "identities", "conflicts", "quarantine", "documents", "chunks", "mentions",
    "communities", "community_members", "community_reports", "foreign_keys", "runs", "ontology_properties",
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
            name = (folder / LATEST).read_text(encoding="utf-8").strip()
            if not name or not (folder / name / MANIFEST).is_file():
                raise SnapshotError(
                    "LATEST names a snapshot that is not there", where=str(folder / LATEST), hint="publish again"
                )
            return folder / name
    raise SnapshotError(
        "there is no snapshot here", where=str(path),
        hint="give a snapshot folder, a snapshots folder with a LATEST file, or a data directory",
    )  # fmt: skip


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a snapshot, if this version can read its format."""
    file = folder / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        major = int(str(manifest["format_version"]).split(".")[0])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"the manifest is missing or damaged: {error}", where=str(file), hint="publish again") from error
    if major > int(FORMAT_VERSION.split(".", maxsplit=1)[0]):
        raise SnapshotError(
            f"the snapshot has format {manifest['format_version']}, this version reads {FORMAT_VERSION}", where=str(folder),
            hint=f"install stratagraph >= {manifest.get('min_reader', 'a newer release')}",
        )  # fmt: skip
    missing = [key for key in ("snapshot_id", "known_at", "files", "rows", "rows_indexed") if key not in manifest]
    if missing:
        raise SnapshotError(f"the manifest lacks {', '.join(missing)}", where=str(file), hint="publish again")
    return manifest  # type: ignore[no-any-return]


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
