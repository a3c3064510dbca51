"""The openai engine: one chat completion per chunk, at any OpenAI-compatible endpoint.

Here is decided what happens with a chunk: which form of request is used, when it is sent again, when its text is halved, when
it is given up. How a request looks is `forms.py`, how it is sent `endpoint.py`, when `pace.py`, what it may cost `budget.py`,
and what an answer says `answers.py`. The key comes from the environment and appears in no message.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stratagraph.config.model import ExtractionConfig
from stratagraph.errors import ExtractionError
from stratagraph.extraction.openai.answers import VERSION as ANSWERS
from stratagraph.extraction.openai.answers import MalformedAnswerError, read_answer
from stratagraph.extraction.openai.budget import Budget, Spent, tokens_of
from stratagraph.extraction.openai.endpoint import Completion, Endpoint, EndpointError
from stratagraph.extraction.openai.forms import (
    Form,
    Message,
    about_content,
    about_length,
    after_refusal,
    plainer,
    request_of,
)
from stratagraph.extraction.openai.pace import LONGEST_WAIT, Pace, WaitTooLongError
from stratagraph.extraction.openai.prompt import answer_schema, messages, template_hash
from stratagraph.extraction.openai.vocabulary import Vocabulary
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError, Extraction
from stratagraph.extraction.tokens import sentences
from stratagraph.ontology.model import Ontology
from stratagraph.project import fingerprint

VERSION = 2  # of how requests are made
_HALVINGS = 2
_PROBE: list[Message] = [{"role": "user", "content": "Answer with the word: yes"}]

log = logging.getLogger(__name__)
T = TypeVar("T")


class _TooLongError(Exception):
    """A chunk, or its answer, is longer than the endpoint allows."""

    def __init__(self, reason: str, detail: str, payload: str, spent: Spent) -> None:
        self.failure = ChunkFailedError(reason, detail, payload, spent.prompt, spent.completion)
        super().__init__(detail)


class OpenAIExtractor:
    """Structured output from a language model; see the module docstring.

    Args:
        api_key: sent to the endpoint, never shown.
        base_url: the endpoint; None is the client's default.
        config: model, timeout, retries, concurrency, ceilings.
        clock, sleep: in seconds.
    """

    def __init__(
        self, api_key: str, base_url: str | None, config: ExtractionConfig, *,
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self._config = config
        self.endpoint = Endpoint(api_key, base_url, config.timeout_seconds, config.max_answer_tokens)
        self.budget = Budget(config, clock)
        self._pace = Pace(config.concurrency, lambda: min(LONGEST_WAIT, self.budget.seconds_left), clock=clock, sleep=sleep)
        self._lock = Lock()
        self._form = Form() if config.answer_mode == "auto" else Form(config.answer_mode)
        self._form_works = False
        self._requests = self._retries = 0
        self._vocabulary: Vocabulary | None = None

    @classmethod
    def from_config(cls, config: ExtractionConfig) -> OpenAIExtractor:
        base_url = config.base_url or os.environ.get("OPENAI_BASE_URL") or None
        if base_url and "@" in urlsplit(base_url).netloc:
            raise ExtractionError(
                "the endpoint's address holds a user name or a password, and addresses are logged",
                where="extraction.base_url", hint="give the key as OPENAI_API_KEY in the environment",
            )  # fmt: skip
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
        """Not of it: the endpoint's address and the form of the request; see docs/openai.md."""
        prompts = fingerprint(template_hash(), self._config.mode, self._config.ontology_tokens)
        return fingerprint("openai", VERSION, ANSWERS, self._config.model, self._config.seed, prompts)

    @property
    def known_in_key(self) -> bool:
        return False

    @property
    def concurrency(self) -> int:
        return self._config.concurrency

    def usage(self) -> dict[str, int | float | str]:
        """What this run did so far, for people and plots."""
        with self._lock:
            cost = self.budget.cost
            return {
                "requests": self._requests, "retries": self._retries, "answer_mode": str(self._form),
                "seconds_waited": round(self._pace.waited, 3),
                "cost": "not counted: extraction.prices is not set" if cost is None else round(cost, 6),
            }  # fmt: skip

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction:
        return self._extract(chunk, self.vocabulary_of(ontology), _HALVINGS)

    def vocabulary_of(self, ontology: Ontology) -> Vocabulary:
        with self._lock:
            if self._vocabulary is None or self._vocabulary.ontology is not ontology:
                self._vocabulary = Vocabulary(ontology, self._config.ontology_tokens, self._config.mode)
            return self._vocabulary

    def request(self, chunk: ChunkInput, vocabulary: Vocabulary) -> dict[str, Any]:
        """The body of the request that asks about a chunk, in the form that is known to work so far."""
        return self._body(self._form, messages(vocabulary, chunk), answer_schema(vocabulary, chunk), None)

    def most(self, request: dict[str, Any]) -> Spent:
        """The most tokens that a request may take."""
        return Spent(
            tokens_of(str([value for key, value in request.items() if key != "model"])), self._config.max_answer_tokens
        )

    def took(self, completion: Completion, request: Callable[[], dict[str, Any]]) -> Spent:
        """The tokens that a completion took; estimated, from the request, where the endpoint does not count."""
        prompt, answer = completion.prompt_tokens, completion.completion_tokens
        return Spent(
            self.most(request()).prompt if prompt is None else prompt, tokens_of(completion.text) if answer is None else answer
        )

    def understood(self, completion: Completion, vocabulary: Vocabulary, spent: Spent) -> Extraction:
        """What a completion says.

        Args:
            spent: for it, and for what was asked before it.

        Raises:
            ChunkFailedError: the model refused.
            MalformedAnswerError: it cannot be read.
        """
        if completion.refusal or completion.finish == "content_filter":
            detail = completion.refusal or "the endpoint filtered the answer"
            raise ChunkFailedError("refused", detail, completion.text, spent.prompt, spent.completion)
        found = read_answer(completion.text, vocabulary)
        return replace(found, prompt_tokens=spent.prompt, completion_tokens=spent.completion)

    def patiently(self, request: Callable[[], T]) -> T:
        """The result of a request that changes nothing at the endpoint, sent again where that may help.

        Raises:
            EndpointError: it did not help.
        """
        for attempt in range(self._config.max_retries):
            try:
                return self.endpoint.call(request)
            except EndpointError as error:
                if not (error.is_fault or error.is_busy):
                    raise
            with self._in_time():
                self._pace.back_off(attempt)
        return self.endpoint.call(request)

    @property
    def learns_form(self) -> bool:
        """Whether it is not known yet what the endpoint takes."""
        return self._config.answer_mode == "auto" and not self._form_works

    def _body(self, form: Form, question: list[Message], schema: dict[str, Any], complaint: str | None) -> dict[str, Any]:
        config = self._config
        return request_of(form, config.model, question, schema, config.max_answer_tokens, config.seed, complaint)

    def _extract(self, chunk: ChunkInput, vocabulary: Vocabulary, halvings: int) -> Extraction:
        """The extraction of a chunk, in halves if it is too long. A half that fails does not lose the other."""
        halves = halved(chunk) if halvings else ()
        try:
            return self._ask(chunk, vocabulary, halves_left=bool(halves))
        except _TooLongError as error:
            if not halves:
                raise error.failure from None
            whole = error.failure
        found = Extraction(prompt_tokens=whole.prompt_tokens, completion_tokens=whole.completion_tokens)
        failures = []
        for half in halves:
            try:
                part = self._extract(half, vocabulary, halvings - 1)
            except ChunkFailedError as failure:
                failures.append(failure)
                part = Extraction(
                    rejected=((failure.reason, f"a part of the chunk: {failure.detail}", failure.payload),),
                    prompt_tokens=failure.prompt_tokens, completion_tokens=failure.completion_tokens,
                )  # fmt: skip
            found = _joined(found, part)
        if len(failures) == len(halves):
            raise ChunkFailedError(
                failures[0].reason, failures[0].detail, failures[0].payload, found.prompt_tokens, found.completion_tokens
            )
        return found

    def _ask(self, chunk: ChunkInput, vocabulary: Vocabulary, *, halves_left: bool) -> Extraction:
        def read(completion: Completion, spent: Spent) -> Extraction:
            return self.understood(completion, vocabulary, spent)

        return self._answer(messages(vocabulary, chunk), answer_schema(vocabulary, chunk), read, halves_left=halves_left)

    def answer(self, question: list[Message], schema: dict[str, Any], read: Callable[[Completion, Spent], T]) -> T:
        """What `read` makes of the answer to a question that is no chunk; the same limits and retries hold for it.

        Args:
            read: raises MalformedAnswerError for an answer that should be asked for again.

        Raises:
            ChunkFailedError: there is no answer that can be used.
            EngineUnavailableError: the endpoint does not answer, or a ceiling is reached.
        """
        try:
            return self._answer(question, schema, read, halves_left=False)
        except _TooLongError as error:
            raise error.failure from None

    def _answer(
        self, question: list[Message], schema: dict[str, Any], read: Callable[[Completion, Spent], T], *, halves_left: bool,
        suspected: bool = False,
    ) -> T:  # fmt: skip
        """Ask until there is an answer that can be read, `max_retries` times at most.

        Args:
            halves_left: whether what is asked about can be halved, so that nothing too long is asked about again.
            suspected: whether the endpoint is known to answer others, so that it is the question that it cannot stand.
        """
        spent = Spent()
        complaint: str | None = None
        problem: EndpointError | None = None
        answer, cut = "", False
        attempts = 1 if suspected else self._config.max_retries + 1
        for attempt in range(attempts):
            if attempt:
                with self._lock:
                    self._retries += 1
            try:
                form, completion = self._complete(question, schema, complaint, spent, attempt)
            except EndpointError as error:
                problem = error
                self._give_up_if_useless(error, spent)
                if error.is_busy:
                    self._pace.was_refused(attempt, error.headers)
                elif attempt + 1 < attempts:
                    with self._in_time():
                        self._pace.back_off(attempt)
                continue
            problem, answer = None, completion.text
            try:
                return read(completion, spent)
            except MalformedAnswerError as error:
                was_cut, cut = cut, cut or completion.finish == "length"
                if completion.finish != "length":
                    complaint = str(error)
                    self._distrust(form, error, empty=not answer.strip())
                    continue
                complaint = f"it was cut off after {completion.completion_tokens or self._config.max_answer_tokens:,} tokens"
                if not self._limit_is_misnamed(form, completion) and (halves_left or was_cut):
                    hint = f"{complaint}; a larger extraction.max_answer_tokens may help"
                    raise _TooLongError("truncated_output", hint, answer, spent) from None
        if problem is None:
            reason = "truncated_output" if cut else "malformed_output"
            raise ChunkFailedError(reason, f"the answer: {complaint}", answer, spent.prompt, spent.completion)
        if suspected:
            raise ChunkFailedError("endpoint_fault", str(problem), "", spent.prompt, spent.completion)
        if not problem.is_busy and self._answers_others():
            return self._answer(question, schema, read, halves_left=halves_left, suspected=True)
        raise EngineUnavailableError(str(problem))

    def _complete(
        self, question: list[Message], schema: dict[str, Any], complaint: str | None, spent: Spent, attempt: int
    ) -> tuple[Form, Completion]:
        """A completion, in the plainest form that it takes to get one."""
        form = self._form
        while True:
            try:
                completion = self._send(self._body(form, question, schema, complaint), spent)
            except EndpointError as error:
                auto, works = self._config.answer_mode == "auto", self._form_works
                simpler = after_refusal(form, error, guess=auto and not works, again=attempt == 1)
                if simpler is None or (simpler.mode != form.mode and works and not auto):
                    raise
                if simpler.mode != form.mode and not auto:
                    raise EngineUnavailableError(
                        f"the endpoint does not take `answer_mode: {self._config.answer_mode}` ({error}); "
                        "use `answer_mode: auto`",
                        stops=True,
                    ) from None
                form = simpler
                continue
            with self._lock:
                if not self._form_works:
                    self._settle_on(form, works=True)
            return form, completion

    def _send(self, request: dict[str, Any], spent: Spent) -> Completion:
        """Send one request when its turn has come and if the ceilings allow it."""
        most = self.most(request)
        with self.budget.reserved(most) as used, self._in_time(), self._pace.turn(most.tokens):
            self.budget.check_time()
            with self._lock:
                self._requests += 1
            try:
                seconds = min(self._config.timeout_seconds, self.budget.seconds_left)
                completion, headers = self.endpoint.complete(request, seconds)
            except EndpointError as error:
                if error.status in (None, 200):  # it may have been worked on, and be on the bill
                    used.prompt = most.prompt
                raise
            used.add(self.took(completion, lambda: request))
            spent.add(used)
            self._pace.went_well(headers)
            return completion

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """What would wait for too long ends the run instead."""
        try:
            yield
        except WaitTooLongError as error:
            self.budget.check_time(error.seconds)
            raise EngineUnavailableError(f"{error}; run again then", stops=True) from None

    def _give_up_if_useless(self, error: EndpointError, spent: Spent) -> None:
        """Raise if there is no point in sending the same request again."""
        if error.status == 429 and error.code == "insufficient_quota":
            raise EngineUnavailableError(f"{error}; check the account's plan and billing", stops=True)
        if about_length(error):  # also of a server that breaks over it, or of a limit of tokens per minute
            raise _TooLongError("request_refused", str(error), "", spent)
        if error.is_busy or error.is_fault:
            return
        if about_content(error):
            raise ChunkFailedError("refused", str(error), "", spent.prompt, spent.completion)
        if error.status in (400, 422) and (self._form_works or self._answers_others()):
            raise ChunkFailedError("request_refused", str(error), "", spent.prompt, spent.completion)
        raise EngineUnavailableError(f"{error}; check extraction.base_url, extraction.model and OPENAI_API_KEY", stops=True)

    def _answers_others(self) -> bool:
        """Whether the endpoint answers a harmless question, so that it is the chunk that it cannot stand."""
        try:
            self._send({"model": self._config.model, "messages": _PROBE}, Spent())
        except EndpointError:
            return False
        return True

    def _distrust(self, form: Form, error: MalformedAnswerError, *, empty: bool) -> None:
        """After an answer that its form rules out: the endpoint takes the form and ignores it, so the next one is used."""
        ruled_out = form.mode in ("schema", "tool") or (form.mode == "json" and not error.is_json)
        next_form = plainer(form)
        with self._lock:
            if ruled_out and not empty and self._config.answer_mode == "auto" and next_form and self._form == form:
                self._settle_on(next_form)

    def _limit_is_misnamed(self, form: Form, completion: Completion) -> bool:
        """Whether an answer was cut off long before our limit: the endpoint knows it by its older name, which is used now."""
        early = completion.completion_tokens is not None and completion.completion_tokens < self._config.max_answer_tokens * 0.9
        with self._lock:
            if not early or form.length != "max_completion_tokens" or self._form.length != form.length:
                return False
            self._settle_on(replace(self._form, length="max_tokens"))
            return True

    def _settle_on(self, form: Form, *, works: bool = False) -> None:
        """Use a form from now on, and say so. To be called with the lock."""
        if str(form) != str(self._form):
            log.warning("%s: the endpoint answers %s", self.name, form)
        self._form, self._form_works = form, works


def halved(chunk: ChunkInput) -> tuple[ChunkInput, ...]:
    """The chunk as two, cut where a sentence begins nearest to the middle; none if it has but one sentence."""
    starts = [start for start, _ in sentences(chunk.text)][1:]
    if not starts:
        return ()
    cut = min(starts, key=lambda start: abs(start - len(chunk.text) / 2))
    return replace(chunk, text=chunk.text[:cut]), replace(chunk, text=chunk.text[cut:])


def _joined(one: Extraction, other: Extraction) -> Extraction:
    return Extraction(
        tuple(dict.fromkeys(one.entities + other.entities)),
        tuple(dict.fromkeys(one.relations + other.relations)),
        one.rejected + other.rejected,
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
    )
