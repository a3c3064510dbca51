"""What is remembered of batches between runs: one small file for each, written before anything is sent and after each step.

A file says which questions a batch holds and how far it came, never what the texts are. It appears whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from stratagraph.errors import ExtractionError
from stratagraph.project import Clock, fingerprint, storage_errors

VERSION = 1
_KEPT = timedelta(days=60)  # after that, no endpoint has the answers any more


@dataclass(frozen=True)
class BatchRecord:
    """A batch as this side knows it.

    Args:
        name: ours; the endpoint is told it, so that a batch is found again by it.
        keys: of its questions, those that are not settled otherwise.
        batch_id: the endpoint's; None while it is not known whether the endpoint has the batch.
    """

    name: str
    created_at: str
    keys: list[str] = field(default_factory=list)
    batch_id: str | None = None


class BatchFiles:
    """The records of batches in a folder, which is made when there is one to keep."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder, self._clock = folder, clock

    def new(self, keys: list[str]) -> BatchRecord:
        """Keep a record of a batch that is about to be sent. A batch sent anew has another name."""
        now = self._clock().isoformat()
        record = BatchRecord(fingerprint("batch", now, *keys), now, keys)
        self.keep(record)
        return record

    def __iter__(self) -> Iterator[BatchRecord]:
        """All records, the oldest first; those that nobody needs any more are removed."""
        for record in sorted(map(self._read, self._folder.glob("*.json")), key=lambda record: (record.created_at, record.name)):
            if datetime.fromisoformat(record.created_at) + _KEPT < self._clock():
                self.remove(record)
            else:
                yield record

    def keep(self, record: BatchRecord) -> None:
        """Write a record down; it outlasts this process from here on."""
        file = self.file_of(record)
        temporary = file.with_name(f"{file.name}.tmp")
        with storage_errors(file):
            self._folder.mkdir(parents=True, exist_ok=True)
            with temporary.open("w", encoding="utf-8") as stream:
                json.dump({"version": VERSION, **asdict(record)}, stream, indent=1)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(file)

    def release(self, record: BatchRecord, keys: set[str]) -> BatchRecord:
        """Take out questions that go into another batch."""
        left = replace(record, keys=[key for key in record.keys if key not in keys])
        if left.keys:
            self.keep(left)
        else:
            self.remove(left)
        return left

    def remove(self, record: BatchRecord) -> None:
        """Forget a batch."""
        self.file_of(record).unlink(missing_ok=True)

    def file_of(self, record: BatchRecord) -> Path:
        """Where a record is."""
        return self._folder / f"{record.name}.json"

    def _read(self, file: Path) -> BatchRecord:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            if content.pop("version") != VERSION:
                raise ValueError("it is of another version")
            return BatchRecord(**content)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExtractionError(
                f"the record of a batch cannot be read: {error}", where=str(file),
                hint="if it is removed, its chunks are asked about, and paid for, once more",
            ) from error  # fmt: skip
