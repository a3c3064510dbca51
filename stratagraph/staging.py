"""Batches of statements on their way to the warehouse, as Parquet files.

A producer (rows, extraction) writes batches; `temporal` commits them in order. A batch is complete on disk before its
`batch.json` appears, so a crash leaves either a whole batch or none. Nothing here knows what a statement means.

Layout: `<data_dir>/staging/<producer>/<order>-<batch_id>/{statements.parquet, links.parquet, batch.json}`.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from stratagraph.project import Project, storage_errors

# Column -> DuckDB type of a staged statement. NULL valid_to means an event (design section 4, rule 2).
STATEMENT_COLUMNS: dict[str, str] = {
    "dataset": "VARCHAR",
    "kind": "VARCHAR",
    "subject": "VARCHAR",
    "predicate": "VARCHAR",
    "object": "VARCHAR",
    "value": "VARCHAR",
    "facet": "VARCHAR",
    "mode": "VARCHAR",
    "polarity": "VARCHAR",
    "valid_from": "TIMESTAMPTZ",
    "valid_to": "TIMESTAMPTZ",
    "observed_at": "TIMESTAMPTZ",
    "sequence": "BIGINT",
    "source": "VARCHAR",
    "scope": "VARCHAR",
    "extractor": "VARCHAR",
    "confidence": "DOUBLE",
    "document_id": "VARCHAR",
    "chunk_id": "VARCHAR",
    "char_start": "BIGINT",
    "char_end": "BIGINT",
    "quote": "VARCHAR",
    "source_table": "VARCHAR",
    "source_key": "VARCHAR",
}

# One row: `ref` and `alias` name the same thing, because they are two values of identifying keys of one record.
# key_name is the identifying field the alias is a value of; two refs with different values of one key never merge.
LINK_COLUMNS: dict[str, str] = {
    "dataset": "VARCHAR",
    "ref": "VARCHAR",
    "ref_key": "VARCHAR",
    "alias": "VARCHAR",
    "alias_key": "VARCHAR",
    "method": "VARCHAR",
}


@dataclass(frozen=True)
class Batch:
    """What stands in `batch.json`.

    Args:
        batch_id: a function of the input alone; a committed id is never committed again.
        source: the source's name in the config.
        order: position among the producer's batches; commits follow it.
        complete: whether what the source said before, and does not say in this batch, is withdrawn.
        recorded_at: the transaction time of a recorded source, else None (the store's clock).
    """

    batch_id: str
    source: str
    order: int
    complete: bool
    recorded_at: datetime | None = None


@dataclass(frozen=True)
class StagedBatch:
    """A batch and where its files are."""

    batch: Batch
    folder: Path

    @property
    def statements(self) -> Path:
        return self.folder / "statements.parquet"

    @property
    def links(self) -> Path:
        return self.folder / "links.parquet"


def write_batch(
    project: Project,
    producer: str,
    batch: Batch,
    statements: duckdb.DuckDBPyRelation,
    links: duckdb.DuckDBPyRelation | None = None,
) -> StagedBatch:
    """Write a batch: statements with the columns of STATEMENT_COLUMNS, links with those of LINK_COLUMNS."""
    folder = project.staging / producer / f"{batch.order:06d}-{batch.batch_id}"
    if not (folder / "batch.json").exists():
        with storage_errors(folder):
            _write(folder, batch, statements, links)
    return StagedBatch(batch, folder)


def _write(folder: Path, batch: Batch, statements: duckdb.DuckDBPyRelation, links: duckdb.DuckDBPyRelation | None) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    statements.select(_typed(STATEMENT_COLUMNS)).write_parquet(str(folder / "statements.parquet"), compression="zstd")
    if links is not None:
        links.select(_typed(LINK_COLUMNS)).write_parquet(str(folder / "links.parquet"), compression="zstd")
    payload = asdict(batch) | {"recorded_at": batch.recorded_at.isoformat() if batch.recorded_at else None}
    temporary = folder / "batch.json.tmp"
    temporary.write_text(json.dumps(payload, sort_keys=True), encoding="utf-8")
    temporary.replace(folder / "batch.json")


def staged_batches(project: Project, producer: str) -> list[StagedBatch]:
    """All whole batches of a producer, in order."""
    found = []
    for file in sorted((project.staging / producer).glob("*/batch.json")):
        payload = json.loads(file.read_text(encoding="utf-8"))
        recorded_at = payload.pop("recorded_at")
        batch = Batch(**payload, recorded_at=datetime.fromisoformat(recorded_at) if recorded_at else None)
        found.append(StagedBatch(batch, file.parent))
    return sorted(found, key=lambda staged: (staged.batch.order, staged.batch.batch_id))


def clear_batches(project: Project, producer: str) -> None:
    """Forget the batches of a producer, before it stages anew or after all are committed."""
    shutil.rmtree(project.staging / producer, ignore_errors=True)


def _typed(columns: dict[str, str]) -> str:
    return ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns.items())
