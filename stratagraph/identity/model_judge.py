"""Asks a language model whether two candidates are one thing, at the endpoint and within the limits of `extraction`.

One structured call per pair. Names and attributes are passed as JSON, as data; the fixed text is `prompts/judge.md`. Where
answers are kept, and what they do, is `candidates`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagraph.extraction.protocol import ChunkFailedError, EngineUnavailableError
from stratagraph.project import Project, fingerprint

if TYPE_CHECKING:
    from stratagraph.extraction.openai.budget import Spent
    from stratagraph.extraction.openai.endpoint import Completion
    from stratagraph.extraction.openai.engine import OpenAIExtractor

VERSION = 1
PROMPT = (Path(__file__).parent / "prompts" / "judge.md").read_text(encoding="utf-8")
DECISIONS = {"yes": "merge", "no": "apart", "unsure": "open"}
_REASON = 300  # characters of a reason that are kept
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"same": {"type": "string", "enum": list(DECISIONS)}, "reason": {"type": "string"}},
    "required": ["same", "reason"],
    "additionalProperties": False,
}
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """What a model said of a pair: response is JSON with `same` and `reason`."""

    response: str
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def decision(self) -> str:
        return DECISIONS[str(json.loads(self.response)["same"])]

    @property
    def reason(self) -> str:
        return str(json.loads(self.response)["reason"])


class ModelJudge:
    """A language model that decides about pairs; the engine is that of `extraction`, whatever reads the texts."""

    def __init__(self, project: Project) -> None:
        from stratagraph.extraction.openai.engine import OpenAIExtractor

        self._engine: OpenAIExtractor = OpenAIExtractor.from_config(project.config.extraction)
        self._unavailable: EngineUnavailableError | None = None

    @property
    def model(self) -> str:
        return self._engine.name.partition("/")[2]

    def key(self, content_hash: bytes, question: str) -> bytes:
        """What an answer is kept under: hashes the pair's content, the model and the prompt."""
        parts = (VERSION, content_hash, question, self.model, hashlib.sha256(PROMPT.encode()).hexdigest())
        return bytes.fromhex(fingerprint("identity", *parts))

    def ask(self, questions: Sequence[str]) -> list[Answer | ChunkFailedError | EngineUnavailableError]:
        """The answer to each question, or why there is none; several at once, as `extraction.concurrency` allows."""
        with ThreadPoolExecutor(self._engine.concurrency, thread_name_prefix="judge") as pool:
            return list(pool.map(self._ask, questions))

    def _ask(self, question: str) -> Answer | ChunkFailedError | EngineUnavailableError:
        if self._unavailable:  # it was tried again often enough; what is under way is still kept
            return self._unavailable
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}]
        try:
            return self._engine.answer(messages, _SCHEMA, _read)
        except ChunkFailedError as error:
            return error
        except EngineUnavailableError as error:
            self._unavailable = error
            return error


def _read(completion: Completion, spent: Spent) -> Answer:
    """What a completion says.

    Raises:
        ChunkFailedError: the model refused.
        MalformedAnswerError: it cannot be read.
    """
    from stratagraph.extraction.openai.answers import MalformedAnswerError

    if completion.refusal or completion.finish == "content_filter":
        raise ChunkFailedError("refused", completion.refusal or "filtered", completion.text, spent.prompt, spent.completion)
    found = _OBJECT.search(completion.text)
    try:
        said = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise MalformedAnswerError("it is not a JSON object")
    if said.get("same") not in DECISIONS or not isinstance(said.get("reason"), str):
        raise MalformedAnswerError('"same" must be yes, no or unsure, and "reason" a text', is_json=True)
    reason = "".join(character if character.isprintable() else " " for character in said["reason"])[:_REASON]
    response = json.dumps({"same": said["same"], "reason": reason}, ensure_ascii=False)
    return Answer(response, spent.prompt, spent.completion)
