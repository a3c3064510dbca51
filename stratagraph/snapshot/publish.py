"""Publishes what the warehouse believes as an immutable snapshot: whole or not at all.

Built in a temporary folder, synced, opened again and probed, renamed, and only then named by LATEST. A published folder is
never changed. Secrets stay out: neither the config nor refused input is copied.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import duckdb

import stratagraph
from stratagraph.errors import SnapshotError
from stratagraph.project import Project, fingerprint
from stratagraph.search import analysis, vectors
from stratagraph.search.build import UNITS_FILE, build_index, index_version
from stratagraph.search.engine import HYBRID, LEXICAL_FOLDER, REPORT_SHARE, VECTOR_FILE
from stratagraph.snapshot import layout
from stratagraph.snapshot.content import Content, read_content
from stratagraph.snapshot.database import build_database, database_sql
from stratagraph.snapshot.probe import probe
from stratagraph.snapshot.times import iso
from stratagraph.sqlfiles import load_sql, qualified

ROW_GROUP_ROWS = 50_000
_TEMPORARY = ".tmp-"
# Tables without transaction times: published whole whatever the configured history.
_TIMELESS = (
    "evidence", "foreign_keys", "properties", "runs", "ontology_properties", "ontology_implications", "ontology_classes",
)  # fmt: skip


@dataclass(frozen=True)
class PublishResult:
    """What publishing did."""

    changed: bool
    snapshot_id: str
    path: Path
    content_hash: str
    bytes: int
    rows: int
    removed: int

    def metadata(self) -> dict[str, int | float | str]:
        return {name: value for name, value in asdict(self).items() if name not in ("changed", "path")} | {
            "path": str(self.path)
        }


def publish(project: Project) -> PublishResult:
    """Publish a snapshot of the warehouse, unless the newest one says the same already."""
    root = project.snapshots
    root.mkdir(parents=True, exist_ok=True)
    _remove_unfinished(root)
    index = build_index(project).path
    settings = _settings_hash(project)
    with project.read() as connection:
        content = read_content(connection, current=project.config.snapshot.history == "current")
        folder = _folder(root, content, settings)
        latest = _latest(root)
        if latest == folder.name and folder.is_dir():
            return _result(False, folder, 0)
        if not folder.is_dir():
            temporary = root / f"{_TEMPORARY}{folder.name}"
            _write(project, connection, temporary, index)
            _seal(temporary, _manifest(project, content, temporary, folder.name, settings, parent=latest))
            probe(temporary)
            temporary.replace(folder)
        elif damaged := layout.damaged_files(folder, layout.read_manifest(folder), contents=True):
            raise SnapshotError(f"files are damaged: {', '.join(damaged)}", where=str(folder), hint="remove this folder")
    _point_latest(root, folder.name)
    return _result(True, folder, _retain(root, project.config.snapshot.keep))


def _folder(root: Path, content: Content, settings: str) -> Path:
    """Where the content goes. The same content published with other settings (the user's views, say) is another snapshot."""
    folder = root / content.snapshot_id
    if folder.is_dir() and layout.read_manifest(folder).get("settings_hash") != settings:
        return root / f"{content.snapshot_id}-{settings[:8]}"
    return folder


def _settings_hash(project: Project) -> str:
    """What a reader gets beside the content: the index, the database's views and macros, and the user's own."""
    user_sql = [(file.name, file.read_text(encoding="utf-8")) for file in _user_sql(project)]
    return fingerprint(layout.FORMAT_VERSION, index_version(project), database_sql(), user_sql)


def _user_sql(project: Project) -> list[Path]:
    files = [project.resolve(path) for path in project.config.sql]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise SnapshotError("the SQL file is not there", where=str(missing[0]), hint="correct `sql` in the config")
    return files


def _write(project: Project, connection: duckdb.DuckDBPyConnection, folder: Path, index: Path) -> None:
    """Write tables, the user's SQL, the index and the database made of them."""
    for name in (layout.TABLES, layout.INDEX, layout.USER_SQL):
        (folder / name).mkdir(parents=True)
    current = project.config.snapshot.history == "current"
    # Parallel writers would cut row groups where they happen to meet; bytes must be a function of the rows.
    connection.execute(load_sql("snapshot", "configure_writer"))
    for table in (*layout.PLAIN_TABLES, *layout.SPLIT_TABLES):
        statement = "select_table_open" if current and table not in (*_TIMELESS, "quarantine") else "select_table"
        if table == "quarantine":
            statement = "select_quarantine"
        rows = connection.sql(load_sql("snapshot", statement, table=qualified("graph", table)))
        file = folder / layout.TABLES / f"{table}.parquet"
        rows.write_parquet(str(file), compression="zstd", row_group_size=ROW_GROUP_ROWS)
    shutil.copyfile(index / UNITS_FILE, folder / layout.TABLES / f"{layout.UNITS}.parquet")
    shutil.copyfile(index / VECTOR_FILE, folder / layout.INDEX / VECTOR_FILE)
    # Lock files are tantivy's own and belong to a process, not to the content.
    shutil.copytree(index / LEXICAL_FOLDER, folder / layout.INDEX / LEXICAL_FOLDER, ignore=shutil.ignore_patterns("*.lock"))
    for place, file in enumerate(_user_sql(project)):
        shutil.copyfile(file, folder / layout.USER_SQL / f"{place:02d}-{file.name}")
    build_database(folder, folder / layout.DATABASE)


def _manifest(
    project: Project, content: Content, folder: Path, snapshot_id: str, settings: str, *, parent: str | None
) -> dict[str, Any]:
    config = project.config
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    tables = _row_counts([file for file in files if file.suffix == ".parquet"])
    known_at = iso(content.known_at)
    return {
        "format_version": layout.FORMAT_VERSION,
        "min_reader": layout.MIN_READER,
        "snapshot_id": snapshot_id,
        "parent": parent,
        "created": known_at,
        "known_at": known_at,
        "valid_at": known_at,
        "history": config.snapshot.history,
        "dataset": config.dataset,
        "content_hash": content.hash,
        "content_hashes": content.parts,
        "settings_hash": settings,
        "ontology_hash": content.ontology,
        "rows": {name: count for name, count in tables.items() if name != layout.UNITS},
        "rows_indexed": tables[layout.UNITS],
        "embedding": {"model": vectors.MODEL, "dimensions": config.embedding.dimensions, "type": "float16"},
        "tokenizer": {
            "name": "stratagraph",
            "version": analysis.VERSION,
            "stemmer": "english",
            "unspaced": "unigrams and bigrams",
        },
        "fusion": {"method": "convex", "lexical": HYBRID.lexical, "vector": HYBRID.vector, "report": REPORT_SHARE},
        "communities": {"algorithm": "leiden", "objective": "modularity"} | config.communities.model_dump(),
        "versions": {
            "stratagraph": stratagraph.__version__,
            "duckdb": duckdb.__version__,
            "tantivy": metadata.version("tantivy"),
        },
        "files": {
            file.relative_to(folder).as_posix(): {"sha256": layout.file_hash(file), "bytes": file.stat().st_size}
            for file in files
        },
    }


def _row_counts(files: list[Path]) -> dict[str, int]:
    statement = load_sql("snapshot", "count_file")
    with duckdb.connect() as connection:
        return {file.stem: int(connection.execute(statement, {"file": str(file)}).fetchall()[0][0]) for file in files}


def _seal(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, make all files read-only and durable."""
    (folder / layout.MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file():
            path.chmod(0o444)
        _sync(path)
    _sync(folder)


def _point_latest(root: Path, snapshot_id: str) -> None:
    temporary = root / f"{_TEMPORARY}{layout.LATEST}"
    temporary.write_text(snapshot_id + "\n", encoding="utf-8")
    _sync(temporary)
    _sync(root)
    temporary.replace(root / layout.LATEST)
    _sync(root)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no directory
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _latest(root: Path) -> str | None:
    file = root / layout.LATEST
    return (file.read_text(encoding="utf-8").strip() or None) if file.is_file() else None


def _remove_unfinished(root: Path) -> None:
    """Remove what a killed run left. Publishing has one writer at a time, so all of it is dead."""
    for path in sorted(root.glob(f"{_TEMPORARY}*")):
        _remove(path)


def _retain(root: Path, keep: int) -> int:
    """Remove all but the newest snapshots, and never the one LATEST names. Readers hold what they have open."""
    latest = _latest(root)
    snapshots = sorted(path.parent for path in root.glob(f"*/{layout.MANIFEST}"))
    old = [path for path in snapshots if path.name != latest][: max(0, len(snapshots) - keep)]
    for path in old:
        # Renamed first: a folder half removed must not pass for a snapshot.
        doomed = root / f"{_TEMPORARY}removed-{path.name}"
        path.replace(doomed)
        _remove(doomed)
    return len(old)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _result(changed: bool, folder: Path, removed: int) -> PublishResult:
    manifest = layout.read_manifest(folder)
    size = sum(file["bytes"] for file in manifest["files"].values())
    return PublishResult(changed, folder.name, folder, manifest["content_hash"], size, sum(manifest["rows"].values()), removed)
