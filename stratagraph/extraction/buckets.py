"""What of extraction stands in files: open questions, by bucket, and answers on their way to the warehouse.

Asking may take hours and several processes, and a DuckDB file has one writer: so a plan writes down what is to be asked,
whoever asks writes down what comes, and the warehouse is opened again when all is there. A file appears whole or not at all.
What questions and answers mean is not known here.

Layout: `<data_dir>/extraction/questions-<mark>.parquet` and `<data_dir>/extraction/answers/<bucket>-<random>.parquet`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stratagraph.locks import alone
from stratagraph.project import Project, storage_errors

ANSWERS = pa.schema({
    "cache_key": pa.binary(), "chunk_hash": pa.binary(), "engine": pa.string(), "model": pa.string(),
    "prompt_tokens": pa.int64(), "completion_tokens": pa.int64(), "response": pa.string(), "reason": pa.string(),
    "detail": pa.string(), "payload": pa.string(), "recorded_at": pa.timestamp("us", tz="UTC"),
})  # fmt: skip


def folder_of(project: Project) -> Path:
    """Where the files are."""
    return project.data_dir / "extraction"


def write_questions(project: Project, mark: str, questions: pa.Table) -> None:
    """Write down what is to be asked; an earlier plan is replaced.

    Args:
        mark: of the engine and the ontology that the questions are for.
        questions: one row per question, as `sql/extraction/select_pending.sql` gives it.
    """
    file = folder_of(project) / f"questions-{mark}.parquet"
    if questions.num_rows:
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, questions)
    for earlier in folder_of(project).glob("questions-*"):
        if earlier != file or not questions.num_rows:
            earlier.unlink(missing_ok=True)


def read_questions(project: Project, mark: str) -> pa.Table | None:
    """What is to be asked; None where no plan is left, or only one for another engine or ontology."""
    file = folder_of(project) / f"questions-{mark}.parquet"
    return pq.read_table(file) if file.exists() else None


def clear_questions(project: Project) -> None:
    """Forget the plan."""
    for file in folder_of(project).glob("questions-*"):
        file.unlink(missing_ok=True)


@contextmanager
def answering(project: Project, bucket: str) -> Iterator[AnswerFiles]:
    """Be the only one who asks about a bucket; another process waits, and then finds the answers."""
    folder = folder_of(project)
    with alone(folder / f"{bucket}.lock"):
        (folder / "answers").mkdir(exist_ok=True)
        for left in (folder / "answers").glob(f"{bucket}-*.tmp"):  # of a process that was killed
            left.unlink()
        yield AnswerFiles(folder / "answers", bucket)


class AnswerFiles:
    """Keeps answers, one file for those of about a second."""

    def __init__(self, folder: Path, bucket: str) -> None:
        self._folder, self._bucket = folder, bucket

    def keep(self, answers: list[dict[str, Any]]) -> None:
        """Write answers with the columns of ANSWERS. They outlast this process from here on."""
        if answers:
            file = self._folder / f"{self._bucket}-{secrets.token_hex(8)}.parquet"
            _write(file, pa.Table.from_pylist(answers, ANSWERS))


def answer_files(project: Project) -> list[Path]:
    """Files of answers that were not taken into the warehouse yet, or were while a process was killed."""
    return sorted((folder_of(project) / "answers").glob("*.parquet"))


def answered_keys(files: Iterable[Path]) -> pa.Table:
    """What the files answer: one column, `cache_key`."""
    schema = pa.schema({"cache_key": pa.binary()})
    return pa.concat_tables([schema.empty_table(), *(pq.read_table(file, columns=["cache_key"]) for file in files)])


def read_answers(file: Path) -> pa.Table:
    """The answers of a file."""
    return pq.read_table(file)


def clear_unfinished(project: Project) -> None:
    """Remove what a killed process left half written; nobody may be asking now."""
    for file in folder_of(project).glob("answers/*.tmp"):
        file.unlink(missing_ok=True)


def replace_answers(file: Path, answers: pa.Table) -> None:
    """Leave only these answers in a file."""
    if answers.num_rows:
        _write(file, answers.cast(ANSWERS))
    else:
        file.unlink()


def without(questions: pa.Table, keys: pa.Table) -> pa.Table:
    """The questions whose key is not among these."""
    answered = pc.is_in(questions["cache_key"].cast(pa.binary()), value_set=keys["cache_key"].combine_chunks())
    return questions.filter(pc.invert(answered))


def _write(file: Path, rows: pa.Table) -> None:
    temporary = file.with_name(f"{file.name}.tmp")
    with storage_errors(file):
        with temporary.open("wb") as stream:
            pq.write_table(rows, stream, compression="zstd")
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
