"""The openai engine: one chat completion per chunk, at any OpenAI-compatible endpoint.

The client retries what is worth retrying (429, 5xx, timeouts, broken connections) with backoff and jitter; an answer that
cannot be read is asked for again. The key comes from the environment and appears in no message. The client is imported on
first use.
"""

from __future__ import annotations

import os
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from stratagraph.config.model import ExtractionConfig
from stratagraph.errors import ExtractionError
from stratagraph.extraction.openai.answers import MalformedAnswerError, read_answer
from stratagraph.extraction.openai.prompt import Vocabulary, answer_schema, messages, template_hash
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError, Extraction
from stratagraph.ontology.model import Ontology
from stratagraph.project import fingerprint

if TYPE_CHECKING:
    from openai import OpenAI

VERSION = 1  # of how requests are made and answers are read
_MAX_ANSWER_TOKENS = 4096
_CHARACTERS_PER_TOKEN = 3  # a cautious guess, for the ceiling only, where the endpoint does not count


class OpenAIExtractor:
    """Structured output from a language model; see the module docstring.

    Args:
        api_key: sent to the endpoint, never shown.
        base_url: the endpoint; None is the client's default.
        config: model, timeout, retries, concurrency, ceiling.
    """

    def __init__(self, api_key: str, base_url: str | None, config: ExtractionConfig) -> None:
        self._key, self._base_url, self._config = api_key, base_url, config
        self._lock = Lock()
        self._used = 0
        self._enforce_schema = True
        self._vocabulary: Vocabulary | None = None

    @classmethod
    def from_config(cls, config: ExtractionConfig) -> OpenAIExtractor:
        base_url = config.base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key and not base_url:
            raise ExtractionError(
                "the openai engine has neither a key nor an endpoint",
                where="extraction.engine",
                hint="set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own, or use `engine: embedded`",
            )
        return cls(key or "none", base_url, config)

    @property
    def name(self) -> str:
        return f"openai/{self._config.model}"

    @property
    def fingerprint(self) -> str:
        return fingerprint("openai", VERSION, self._config.model, template_hash())

    @property
    def known_in_key(self) -> bool:
        return False

    @property
    def concurrency(self) -> int:
        return self._config.concurrency

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        return OpenAI(
            api_key=self._key,
            base_url=self._base_url,
            timeout=self._config.timeout_seconds,
            max_retries=self._config.max_retries,
        )

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction:
        vocabulary = self._vocabulary_of(ontology)
        prompt_tokens = completion_tokens = 0
        problem, answer = "", ""
        for _ in range(self._config.max_retries + 1):
            answer, refusal, used_prompt, used_completion = self._complete(chunk, vocabulary)
            prompt_tokens += used_prompt
            completion_tokens += used_completion
            if refusal:
                raise ChunkFailedError("refused", self._safe(refusal), "", prompt_tokens, completion_tokens)
            try:
                found = read_answer(answer, vocabulary)
            except MalformedAnswerError as error:
                problem = str(error)
                continue
            return Extraction(found.entities, found.relations, found.rejected, prompt_tokens, completion_tokens)
        raise ChunkFailedError("malformed_output", self._safe(problem), self._safe(answer), prompt_tokens, completion_tokens)

    def _vocabulary_of(self, ontology: Ontology) -> Vocabulary:
        with self._lock:
            if self._vocabulary is None or self._vocabulary.ontology is not ontology:
                self._vocabulary = Vocabulary(ontology)
            return self._vocabulary

    def _complete(self, chunk: ChunkInput, vocabulary: Vocabulary) -> tuple[str, str | None, int, int]:
        """One request: the answer, a refusal if there is one, and the tokens it took."""
        import openai

        asked = messages(vocabulary, chunk)
        expected = sum(len(message["content"]) for message in asked) // _CHARACTERS_PER_TOKEN
        self._reserve(expected)
        used = 0
        try:
            response = self._request(asked, vocabulary, chunk)
            choice = response.choices[0] if response.choices else None
            answer = (choice.message.content if choice else None) or ""
            usage = response.usage
            prompt = usage.prompt_tokens if usage else expected
            completion = usage.completion_tokens if usage else len(answer) // _CHARACTERS_PER_TOKEN
            used = prompt + completion
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise EngineUnavailableError(self._explain(error), stops=True) from None
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            raise ChunkFailedError("request_refused", self._explain(error)) from None
        except openai.OpenAIError as error:
            raise EngineUnavailableError(self._explain(error)) from None
        except (ValueError, TypeError, AttributeError) as error:  # a body that is no chat completion at all
            raise ChunkFailedError("malformed_response", self._explain(error)) from None
        finally:
            self._settle(expected, used)
        if choice is not None and choice.finish_reason == "content_filter":
            return answer, "the endpoint filtered the answer", prompt, completion
        return answer, (choice.message.refusal if choice else None), prompt, completion

    def _request(self, asked: list[dict[str, str]], vocabulary: Vocabulary, chunk: ChunkInput) -> Any:
        import openai

        parameters: dict[str, Any] = {
            "model": self._config.model, "messages": asked, "temperature": 0, "max_completion_tokens": _MAX_ANSWER_TOKENS,
        }  # fmt: skip
        create: Any = self._client.chat.completions.create
        if self._enforce_schema:
            schema = {"name": "extraction", "strict": True, "schema": answer_schema(vocabulary, chunk)}
            try:
                return create(**parameters, response_format={"type": "json_schema", "json_schema": schema})
            except openai.BadRequestError as error:
                if "response_format" not in str(error) and "json_schema" not in str(error):
                    raise
                self._enforce_schema = False  # an endpoint without schemas; answers are checked in any case
        return create(**parameters, response_format={"type": "json_object"})

    def _reserve(self, tokens: int) -> None:
        """Count a request in before it is sent, so that the ceiling is never passed by several at once."""
        with self._lock:
            if self._used + tokens > self._config.max_tokens_per_run:
                raise EngineUnavailableError(
                    f"the ceiling of {self._config.max_tokens_per_run:,} tokens per run is reached ({self._used:,} used)",
                    stops=True,
                )
            self._used += tokens

    def _settle(self, reserved: int, used: int) -> None:
        with self._lock:
            self._used += used - reserved

    def _explain(self, error: Exception) -> str:
        status = getattr(error, "status_code", None)
        text = str(error).split("\n")[0][:300]
        return self._safe(f"HTTP {status}: {text}" if status and str(status) not in text else text or type(error).__name__)

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "***") if len(self._key) > 4 else text
