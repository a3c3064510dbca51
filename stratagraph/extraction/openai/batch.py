"""Asks by the Batch API: many chunks in one file, answers within a day, at about half the price.

A run sends what is not on its way yet and collects what is ready; it does not wait for the rest. What is on its way is written
down before it is sent (`batch_files.py`), and the endpoint is told our name of a batch, so that a run that dies at any point
neither pays twice nor loses an answer. Single answers that are missing or cannot be read are asked for again one by one, by
`engine.py`, which also says how a chunk is asked about.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from stratagraph.extraction.openai.answers import MalformedAnswerError
from stratagraph.extraction.openai.batch_files import BatchFiles, BatchRecord
from stratagraph.extraction.openai.budget import Spent
from stratagraph.extraction.openai.endpoint import EndpointError, completion_of
from stratagraph.extraction.openai.engine import OpenAIExtractor
from stratagraph.extraction.openai.vocabulary import Vocabulary
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError, Extraction
from stratagraph.ontology.model import Ontology
from stratagraph.project import Clock

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000  # of one file, as the official endpoint takes it
_PATH = "/v1/chat/completions"
_LOOKED_THROUGH = 2000  # batches, when one is looked for by its name
_LABEL = "stratagraph"
_OVER = ("completed", "expired", "cancelled")
_NOT_DONE = ("batch_expired", "batch_cancelled")

Outcome = Extraction | ChunkFailedError | EngineUnavailableError
Questions = dict[str, ChunkInput]
Found = Iterator[tuple[str, Outcome]]
T = TypeVar("T")


@dataclass(frozen=True)
class _Line:
    """What a batch says about one question: the body of a response, or an error."""

    key: str
    body: Any = None
    error: str = ""


class BatchExtractor:
    """The openai engine, asking by the Batch API.

    Args:
        engine: says how a chunk is asked about, and asks where a single answer is needed at once.
        folder: where batches under way are remembered.
        clock: for their names and ages.
        most_requests, most_bytes: of one batch.
    """

    known_in_key = False
    concurrency = 1

    def __init__(
        self, engine: OpenAIExtractor, folder: Path, clock: Clock, *, most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
    ) -> None:  # fmt: skip
        self._engine, self._files = engine, BatchFiles(folder, clock)
        self._most_requests, self._most_bytes = most_requests, most_bytes
        self._sent = self._collected = 0

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def fingerprint(self) -> str:
        """That of the engine: an answer is the same, however it was asked for."""
        return self._engine.fingerprint

    def usage(self) -> dict[str, int | float | str]:
        return self._engine.usage() | {"batch_requests": self._sent, "batch_answers": self._collected}

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction:
        """Ask about one chunk at once."""
        return self._engine.extract(chunk, ontology)

    def extract_all(self, questions: Iterable[tuple[bytes, ChunkInput]], ontology: Ontology) -> Iterator[tuple[bytes, Outcome]]:
        """What is known of each question by now, each once.

        Args:
            questions: with a key that is the same whenever the same is asked.
        """
        waiting: Questions = {key.hex(): chunk for key, chunk in questions}
        vocabulary = self._engine.vocabulary_of(ontology)
        for key, outcome in self._all(waiting, ontology, vocabulary):
            waiting.pop(key)
            yield bytes.fromhex(key), outcome

    def _all(self, waiting: Questions, ontology: Ontology, vocabulary: Vocabulary) -> Found:
        """`waiting` loses each question that an outcome was given for."""
        for record in self._files:
            mine = [key for key in record.keys if key in waiting]
            if mine:
                yield from self._settle(record, mine, waiting, ontology, vocabulary)
        if waiting and self._engine.learns_form:
            # The first is asked about at once: what the endpoint takes is known before thousands are sent.
            key = next(iter(waiting))
            outcome = self._at_once(waiting[key], ontology)
            yield key, outcome
            if isinstance(outcome, EngineUnavailableError):
                yield from _all_of(list(waiting), outcome)
        yield from self._send(waiting, vocabulary)

    def _at_once(self, chunk: ChunkInput, ontology: Ontology) -> Outcome:
        try:
            return self._engine.extract(chunk, ontology)
        except (ChunkFailedError, EngineUnavailableError) as error:
            return error

    # --- collecting

    def _settle(
        self, record: BatchRecord, mine: list[str], waiting: Questions, ontology: Ontology, vocabulary: Vocabulary
    ) -> Found:
        """What became of a batch; questions that it will not answer are left over for the next one."""
        try:
            if record.batch_id is None:
                record = self._found_again(record)
            if record.batch_id is None:  # it was never made, so nothing was paid
                self._files.remove(record)
                return
            batch_id = record.batch_id
            batch = self._patiently(lambda client: _named(client.batches.retrieve(batch_id)))
        except EndpointError as error:
            where = self._files.file_of(record)
            unknown = f"; if that batch is lost, remove {where}, and its chunks are sent again" if error.status == 404 else ""
            yield from _all_of(mine, EngineUnavailableError(f"batch {record.batch_id or record.name}: {error}{unknown}"))
            return
        if batch.status == "failed":  # it was refused as a whole, and costs nothing
            self._files.remove(record)
            reasons = "; ".join(str(problem.message) for problem in (batch.errors.data if batch.errors else None) or ())
            yield from _all_of(mine, EngineUnavailableError(f"batch {batch.id} failed: {reasons or 'no reason is given'}"))
        elif batch.status not in _OVER:
            counts = batch.request_counts
            done = f", {counts.completed + counts.failed} of {counts.total} requests done" if counts else ""
            yield from _all_of(mine, EngineUnavailableError(f"batch {batch.id} is {batch.status}{done}; run again later"))
        else:
            yield from self._collect(record, batch, mine, waiting, ontology, vocabulary)

    def _collect(
        self, record: BatchRecord, batch: Any, mine: list[str], waiting: Questions, ontology: Ontology, vocabulary: Vocabulary
    ) -> Found:
        left, read = set(mine), 0
        ask_again: list[str] = []
        try:
            for line in self._lines(batch):
                read += 1
                if line.key not in left or line.error in _NOT_DONE:
                    continue
                left.discard(line.key)
                outcome = self._understood(line, waiting[line.key], vocabulary)
                if outcome is None:
                    ask_again.append(line.key)
                else:
                    self._collected += 1
                    yield line.key, outcome
        except EndpointError as error:
            yield from _all_of([*left, *ask_again], EngineUnavailableError(f"batch {batch.id}: {error}"))
            return
        for key in ask_again:
            yield key, self._at_once(waiting[key], ontology)
        counts = batch.request_counts
        there = counts.completed + counts.failed if counts else 1
        if read < there:  # they are paid for, so they are not sent again
            problem = f"batch {batch.id}: its files hold {read} of {there} answers; run again later"
            yield from _all_of(list(left), EngineUnavailableError(f"{problem}, or remove {self._files.file_of(record)}"))
        elif left:
            self._files.release(record, left)

    def _lines(self, batch: Any) -> Iterator[_Line]:
        """What a batch says, from its files of answers and of errors; what cannot be read is left out."""
        for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):
            with tempfile.TemporaryFile() as stream:
                self._patiently(partial(_download, file_id, stream))
                stream.seek(0)
                for raw in stream:
                    line = _line_of(self._engine.endpoint.safe(raw.decode("utf-8", "replace")))
                    if line is not None:
                        yield line

    def _understood(self, line: _Line, chunk: ChunkInput, vocabulary: Vocabulary) -> Outcome | None:
        """What an answer says; None if it has to be asked for again."""
        if line.error:
            return None
        try:
            completion = completion_of(line.body)
            spent = self._engine.took(completion, lambda: self._engine.request(chunk, vocabulary))
            self._engine.budget.spent.add(spent)
            return self._engine.understood(completion, vocabulary, spent)
        except ChunkFailedError as failure:
            return failure
        except (EndpointError, MalformedAnswerError):
            return None

    # --- sending

    def _send(self, waiting: Questions, vocabulary: Vocabulary) -> Found:
        """Send what is left, in as many batches as it takes and as far as the ceilings allow."""
        lines, size, planned = dict[str, bytes](), 0, Spent()
        for key, chunk in list(waiting.items()):
            request = self._engine.request(chunk, vocabulary)
            planned.add(self._engine.most(request))
            if reached := self._engine.budget.reached(planned):
                yield from self._submit(lines)
                yield from _all_of(list(waiting), EngineUnavailableError(reached, stops=True))
                return
            body = {"custom_id": key, "method": "POST", "url": _PATH, "body": request}
            line = (json.dumps(body, ensure_ascii=False) + "\n").encode("utf-8", "replace")
            if lines and (len(lines) == self._most_requests or size + len(line) > self._most_bytes):
                yield from self._submit(lines)
                lines, size = {}, 0
            lines[key] = line
            size += len(line)
        yield from self._submit(lines)

    def _submit(self, lines: dict[str, bytes]) -> Found:
        """Send one batch: remember it, upload it, start it, remember that."""
        if not lines:
            return
        record = self._files.new(list(lines))
        content = (f"{record.name}.jsonl", b"".join(lines.values()))
        try:
            file = self._engine.endpoint.call(lambda: _named(self._client.files.create(file=content, purpose="batch")))
            record = self._started(record, file.id)
        except EndpointError as error:
            if not error.is_fault:
                self._files.remove(record)  # refused, so there is nothing to be found again
            yield from _all_of(list(lines), EngineUnavailableError(f"a batch could not be sent: {error}"))
            return
        self._sent += len(lines)
        yield from _all_of(list(lines), EngineUnavailableError(f"batch {record.batch_id} is sent; run again later"))

    def _started(self, record: BatchRecord, file_id: str) -> BatchRecord:
        """Start a batch. A start whose answer does not arrive may have been one, so it is not repeated but looked for."""
        try:
            batch = self._engine.endpoint.call(
                lambda: _named(
                    self._client.batches.create(
                        input_file_id=file_id, endpoint=_PATH, completion_window="24h", metadata={_LABEL: record.name}
                    )
                )
            )
            record = replace(record, batch_id=batch.id)
            self._files.keep(record)
            return record
        except EndpointError as error:
            if not error.is_fault:
                raise
            found = self._found_again(record)
            if found.batch_id is None:
                raise
            return found

    def _found_again(self, record: BatchRecord) -> BatchRecord:
        """The record of a batch that the endpoint has, with the endpoint's id; as it was if it has none by that name."""

        def search(client: Any) -> str | None:
            batches = islice(client.batches.list(limit=100), _LOOKED_THROUGH)
            return next((batch.id for batch in batches if (batch.metadata or {}).get(_LABEL) == record.name), None)

        batch_id = self._patiently(search)
        if batch_id is not None:
            record = replace(record, batch_id=batch_id)
            self._files.keep(record)
        return record

    # --- the endpoint

    @property
    def _client(self) -> Any:
        return self._engine.endpoint.client

    def _patiently(self, request: Callable[[Any], T]) -> T:
        """Something that changes nothing there, repeated where that may help."""
        return self._engine.patiently(lambda: request(self._client))


def _named(answer: T) -> T:
    """What the endpoint made. Raises ValueError if it has no name there, so it is none."""
    if not isinstance(getattr(answer, "id", None), str):
        raise ValueError("the answer has no id")
    return answer


def _all_of(keys: list[str], outcome: EngineUnavailableError) -> Found:
    for key in keys:
        yield key, outcome


def _download(file_id: str, stream: IO[bytes], client: Any) -> None:
    stream.seek(0)
    stream.truncate()
    with client.files.with_streaming_response.content(file_id) as response:
        for part in response.iter_bytes():
            stream.write(part)


def _line_of(text: str) -> _Line | None:
    try:
        line = json.loads(text)
        response, error = line.get("response") or {}, line.get("error") or {}
        status = response.get("status_code")
        code = "" if status == 200 else str(error.get("code") or f"HTTP {status}")
        return _Line(str(line["custom_id"]), response.get("body"), code)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
