"""Forgetting for good: erases something from the store, and brings every file of the data directory in line with it.

The store goes first, in one transaction that leaves tombstones; from then on nothing brings it back. Every later step asks the
tombstones, not the caller, what has to go, and may be repeated: an erasure that was interrupted is finished by the same call,
or by the next build. What a file held before, a rewritten file replaces: deleting alone leaves bytes behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from stratagraph.errors import SnapshotError
from stratagraph.extraction.buckets import answer_files, clear_questions, clear_unfinished, read_answers, replace_answers
from stratagraph.project import Project
from stratagraph.snapshot import layout
from stratagraph.snapshot.database import cache_folder
from stratagraph.sources.erased import clear_landing
from stratagraph.sqlfiles import load_sql, quote_identifier
from stratagraph.temporal.erase import ErasureCounts, Kind, erase
from stratagraph.temporal.intake import keep_table
from stratagraph.temporal.maintain import rewrite_landing, rewrite_warehouse
from stratagraph.temporal.steps import Steps
from stratagraph.temporal.tombstones import LAYER, drop_erased, prepare_tokens, read_secret

MARKER = "erasure.pending"
# Which tables of a snapshot name what may be erased.
_NAMING = ("statements", "identities", "nodes", "edges", "mentions", "documents", "chunks", "evidence", "quarantine")


@dataclass(frozen=True)
class ForgetResult:
    """What was erased, the snapshots that held it and are gone, and the one that is published instead."""

    counts: ErasureCounts
    removed: list[str] = field(default_factory=list)
    snapshot: str | None = None


def forget(project: Project, kind: Kind, id: str, run_id: str = "") -> ForgetResult:
    """Erase a subject, a document or a source record everywhere. The caller holds the lock of builds."""
    if not project.warehouse.exists():
        return ForgetResult(ErasureCounts())
    marker = project.data_dir / MARKER
    was_pending = marker.exists()
    marker.touch()
    with project.write() as connection:
        counts = erase(connection, dataset=project.config.dataset, kind=kind, id=id, clock=project.clock, run_id=run_id)
    if not counts.known:
        if not was_pending:
            marker.unlink()
        return ForgetResult(counts)
    removed, snapshot = clear_files(project)
    return ForgetResult(counts, removed, snapshot)


def is_document(project: Project, id: str) -> bool:
    """Whether an id is of a document, now, before, or erased."""
    if not project.warehouse.exists():
        return False
    with project.write() as connection:  # which brings the tables of erasure into a store that has none yet
        prepare_tokens(connection)
        parameters = {"dataset": project.config.dataset, "id": id, "secret": read_secret(connection) or b""}
        row = connection.execute(load_sql(LAYER, "count_documents"), parameters).fetchone()
    return bool(row and row[0])


def is_pending(project: Project) -> bool:
    """Whether an erasure was begun whose files are not cleared yet."""
    return (project.data_dir / MARKER).exists()


def clear_files(project: Project) -> tuple[list[str], str | None]:
    """Bring every file in line with the tombstones; returns the snapshots that were removed, and the one that stands."""
    _clear_staging(project)
    _clear_answers(project)
    clear_landing(project)
    snapshot = _publish(project)
    removed = _remove_snapshots(project, snapshot)
    # A model of annotated examples remembers their texts; it is made anew from what the user's files say then.
    for folder in (
        project.data_dir / "dlt",
        project.data_dir / "models",
        *project.snapshots.glob(".tmp-*"),
        *(project.data_dir / "index").glob(".tmp-*"),
    ):
        shutil.rmtree(folder, ignore_errors=True)
    rewrite_warehouse(project)
    rewrite_landing(project)
    (project.data_dir / MARKER).unlink(missing_ok=True)
    return removed, snapshot


@contextmanager
def _tombstones(project: Project) -> Iterator[tuple[duckdb.DuckDBPyConnection, bytes]]:
    """The warehouse for reading, and its secret."""
    with project.read() as connection:
        prepare_tokens(connection)
        yield connection, read_secret(connection) or b""


def _clear_staging(project: Project) -> None:
    """Take what is erased out of the batches that were staged; those a killed run left unfinished go as a whole."""
    with _tombstones(project) as (connection, _):
        for folder in sorted(path for path in project.staging.glob("*/*") if path.is_dir()):
            if not (folder / "batch.json").exists():
                shutil.rmtree(folder)
                continue
            for left in folder.glob("*.tmp"):
                left.unlink()
            _clear_batch(connection, project.config.dataset, folder / "statements.parquet", "select_unerased")
            _clear_batch(
                connection, project.config.dataset, folder / "links.parquet", "select_unerased_refs", ref="ref", other="alias"
            )


def _clear_batch(connection: duckdb.DuckDBPyConnection, dataset: str, file: Path, query: str, **columns: str) -> None:
    if not file.exists():
        return
    steps = Steps(connection)
    keep_table(steps, "staged", file)
    if drop_erased(steps, dataset, "staged", query, **columns):
        temporary = file.with_name(f"{file.name}.tmp")
        connection.table("staged").write_parquet(str(temporary), compression="zstd")
        temporary.replace(file)
    steps.drop()


def _clear_answers(project: Project) -> None:
    """Take what is erased out of answers that no run has taken yet; what was planned is planned again."""
    clear_questions(project)
    clear_unfinished(project)
    query = load_sql(LAYER, "select_unerased_answers", answers=quote_identifier("answers"))
    with _tombstones(project) as (connection, secret):
        values = {"dataset": project.config.dataset, "secret": secret, "base_iri": project.config.base_iri}
        for file in answer_files(project):
            connection.register("answers", read_answers(file))
            replace_answers(file, connection.execute(query, values).to_arrow_table())


def _publish(project: Project) -> str | None:
    """Communities, index and snapshot of what is left, where there were any; the index that was goes with this."""
    from stratagraph.communities.run import update_communities
    from stratagraph.search.build import build_index
    from stratagraph.snapshot.publish import publish

    update_communities(project)
    if (project.snapshots / layout.LATEST).is_file():
        return publish(project).snapshot_id
    if (project.data_dir / "index").is_dir():
        build_index(project)
    return None


def _remove_snapshots(project: Project, standing: str | None) -> list[str]:
    """Remove the snapshots that hold something erased. One that cannot be read cannot be shown to be clean: it goes as well."""
    removed = []
    with _tombstones(project) as (connection, secret):
        found = {path.parent for part in (layout.MANIFEST, layout.TABLES) for path in project.snapshots.glob(f"*/{part}")}
        for folder in sorted(found):
            if folder.name.startswith(".tmp-") or not _holds_erased(connection, folder, secret):
                continue
            if folder.name == standing:
                raise SnapshotError("the snapshot that was just published holds what was erased", where=str(folder))
            doomed = folder.with_name(f".tmp-removed-{folder.name}")
            try:
                cached = cache_folder(layout.read_manifest(folder))
            except SnapshotError:
                cached = doomed
            folder.replace(doomed)  # first: a folder half removed must not pass for a snapshot
            for path in (doomed, cached):
                shutil.rmtree(path, ignore_errors=True)
            removed.append(folder.name)
    return removed


def _holds_erased(connection: duckdb.DuckDBPyConnection, folder: Path, secret: bytes) -> bool:
    files: dict[str, object] = {name: str(folder / layout.TABLES / f"{name}.parquet") for name in _NAMING}
    try:
        row = connection.execute(load_sql(LAYER, "select_held"), files | {"secret": secret}).fetchone()
    except duckdb.Error:
        return True
    return bool(row and row[0])
