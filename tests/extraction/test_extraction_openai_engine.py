"""The openai engine alone, against a real endpoint on loopback that answers as models, servers and gateways do."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from datetime import UTC, datetime

import pytest
from bad_answers import ITEMS, ONCE
from openai_server import Endpoint, Reply, Request, start
from test_extraction_openai import EX, GOOD, KEY, good, relation

from stratagraph.config.model import ExtractionConfig, PricesConfig
from stratagraph.extraction.openai.engine import OpenAIExtractor, halved
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError, Extraction

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
FOUND = [("Alice Haddad", EX + "worksFor", "Acme")]
TWO = "Alice Haddad joined Acme in March 2019. Bob Stone joined Globex in 2020."


class Time:
    """A clock that only sleeping moves, and what was slept."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def engine_at(endpoint: Endpoint, clock: Time | None = None, key: str = KEY, **more: object) -> OpenAIExtractor:
    config = ExtractionConfig(**({"engine": "openai", "model": "scripted", "max_retries": 2, "concurrency": 1} | more))
    clock = clock or Time()
    return OpenAIExtractor(key, endpoint.url, config, clock=clock, sleep=clock.sleep)


def chunk(text: str = GOOD) -> ChunkInput:
    return ChunkInput(text, REFERENCE, "en")


def triples(found: Extraction) -> list[tuple[str, str, str]]:
    return [(relation.subject, relation.predicate, relation.object) for relation in found.relations]


def answer(*replies: Reply):
    """Replies in turn, then good answers."""
    return lambda request: replies[request.nth - 1] if request.nth <= len(replies) else Reply(good(request.text))


@pytest.mark.parametrize("spoil", ONCE.values(), ids=ONCE.keys())
def test_what_can_be_asked_again_is_asked_again(demo_ontology, spoil):
    with start(answer(spoil(good(GOOD)))) as endpoint:
        engine = engine_at(endpoint, timeout_seconds=0.5)
        assert triples(engine.extract(chunk(), demo_ontology)) == FOUND
        assert len(endpoint.requests) == 2
        assert engine.usage()["requests"] == 2
        assert engine.usage()["retries"] == 1


@pytest.mark.parametrize("spoil", ITEMS.values(), ids=ITEMS.keys())
def test_what_is_wrong_with_one_item_or_around_the_answer_costs_no_other(demo_ontology, spoil):
    with start(answer(spoil(good(GOOD)))) as endpoint:
        found = engine_at(endpoint).extract(chunk(), demo_ontology)
        assert set(FOUND) <= set(triples(found))
        assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("reply", "reason", "requests"),
    [
        (Reply("no json"), "malformed_output", 3),
        (Reply(good(GOOD)[:80], finish_reason="length", usage=(100, 4096)), "truncated_output", 2),
        (Reply("", refusal="I cannot help with that."), "refused", 1),
        (Reply("", finish_reason="content_filter"), "refused", 1),
        (Reply("the prompt was filtered", status=400, error={"code": "content_filter"}), "refused", 1),
        (Reply("This model's maximum context length is 4096 tokens", status=400), "request_refused", 1),
        (Reply("I do not like it", status=400), "request_refused", None),
        (Reply("boom", status=500), "endpoint_fault", None),
        (Reply("", broken="all"), "endpoint_fault", None),
        (Reply("blocked", status=403, raw="<html>blocked by the firewall</html>"), "endpoint_fault", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_chunk_that_nothing_helps_is_given_up_and_the_others_go_on(demo_ontology, reply, reason, requests):
    """In whatever order: nobody knows at the first chunk whether it is the chunk or the endpoint that is broken."""
    bad = "Nobody can read this."
    with start(lambda request: reply if request.text == bad else Reply(good(request.text))) as endpoint:
        engine = engine_at(endpoint)
        for _ in range(2):
            before = len(endpoint.requests)
            with pytest.raises(ChunkFailedError) as failure:
                engine.extract(chunk(bad), demo_ontology)
            assert failure.value.reason == reason
            assert requests in (None, len(endpoint.requests) - before)
            assert triples(engine.extract(chunk(), demo_ontology)) == FOUND


@pytest.mark.parametrize(
    ("reply", "stops", "requests"),
    [
        (Reply("overloaded", status=503), False, 3),
        (Reply("slow down", status=429), False, 3),
        (Reply("no quota", status=429, error={"code": "insufficient_quota"}), True, 1),
        (Reply("come back tomorrow", status=429, headers={"Retry-After": "40000"}), True, 1),
        (Reply("boom", status=500), False, 6),  # the second time in all forms
        (Reply(raw="<html>this is no API</html>"), False, 3),
        (Reply("bad key", status=401), True, 1),
        (Reply("pay first", status=402), True, 1),
        (Reply("not for you", status=403), True, 1),
        (Reply("no such model", status=404), True, 1),
        (Reply("no such path", status=404, raw="<html>nginx</html>"), True, 1),
        (Reply("I do not like it", status=400), True, 4),  # in all forms
    ],
    ids=lambda value: f"{value.status}-{value.content or 'page'}" if isinstance(value, Reply) else "",
)
def test_an_endpoint_that_answers_nobody_gives_up_no_chunk(demo_ontology, reply, stops, requests):
    with start(lambda request: reply) as endpoint:
        endpoint.down = True
        with pytest.raises(EngineUnavailableError) as failure:
            engine_at(endpoint).extract(chunk(), demo_ontology)
        assert failure.value.stops == stops
        assert len(endpoint.requests) == requests


def test_no_endpoint_at_all_is_said(demo_ontology):
    with start(answer()) as endpoint:
        pass
    with pytest.raises(EngineUnavailableError, match="no connection"):
        engine_at(endpoint).extract(chunk(), demo_ontology)


def test_the_second_ask_says_what_was_wrong_and_not_what_the_document_says(demo_ontology):
    with start(answer(Reply('{"nodes": []}'), Reply('{"entities": 1, "relations": 2}'))) as endpoint:
        engine_at(endpoint).extract(chunk(), demo_ontology)
    complaints = [request["messages"][2:] for request in endpoint.requests]
    assert complaints[0] == []
    assert 'the object has no list "entities"' in complaints[1][0]["content"]
    assert "not both lists" in complaints[2][0]["content"]
    assert all("Alice" not in json.dumps(said) for said in complaints)


def refusing(*modes: str, status: int = 400, says: str | None = None):
    """An endpoint that does not know these modes."""

    def respond(request: Request) -> Reply:
        if request.mode in modes:
            return Reply(says or f"{request.mode} is not supported", status=status)
        text = good(request.text)
        return Reply(arguments=text) if request.mode == "tool" else Reply(f"Here it is:\n```json\n{text}\n```\nDone.")

    return respond


def ignoring(*modes: str):
    """An endpoint that takes these modes and answers as it likes; with the schema in the prompt it does better."""
    return lambda request: Reply("I found nothing." if request.mode in modes else good(request.text))


ALL = ("json_schema", "json_object", "tool", "text")


@pytest.mark.parametrize(
    ("respond", "modes", "shown"),
    [
        (refusing("json_schema"), ALL[:2], "in JSON mode"),
        (refusing("json_schema", status=422), ALL[:2], "in JSON mode"),
        (refusing("json_schema", status=500, says="[{'loc': ('body', 'response_format', 'type')}]"), ALL[:2], "in JSON mode"),
        (refusing("json_schema", status=500, says="Internal Server Error"), (ALL[0], *ALL[:2]), "in JSON mode"),
        (refusing("json_schema", says="'response_format.type' must be 'text'"), ALL[:2], "in JSON mode"),
        (refusing("json_schema", says="bad request"), ALL[:2], "in JSON mode"),
        (refusing(*ALL[:2]), ALL[:3], "by tool call"),
        (refusing(*ALL[:2], status=404, says="no endpoint supports response_format"), ALL[:3], "by tool call"),
        (refusing(*ALL[:3]), ALL, "in plain text with JSON in it"),
        (ignoring("json_schema"), ALL[:2], "in JSON mode"),
        (ignoring(*ALL[:2]), ALL[:3], "by tool call"),
    ],
)
def test_an_endpoint_is_asked_in_the_strictest_form_it_understands(demo_ontology, caplog, respond, modes, shown):
    with start(respond) as endpoint:
        engine = engine_at(endpoint)
        for text in (GOOD, "Bob Stone joined Globex in 2020."):
            assert len(engine.extract(chunk(text), demo_ontology).relations) == 1
        asked = [Request(body, "", 1).mode for body in endpoint.requests]
        assert asked == [*modes, modes[-1]]  # the second chunk at once in the form that works
        for body, mode in zip(endpoint.requests, asked, strict=True):
            assert ("JSON schema" in body["messages"][0]["content"]) == (mode != "json_schema")
    assert engine.usage()["answer_mode"] == shown
    assert f"the endpoint answers {shown}" in caplog.text


def test_one_refused_chunk_changes_nothing_for_the_others(demo_ontology):
    def respond(request: Request) -> Reply:
        if "Bob" in request.text and request.mode == "json_schema":
            return Reply("the schema has too many values", status=400)
        return Reply(good(request.text))

    with start(respond) as endpoint:
        engine = engine_at(endpoint)
        for text in (GOOD, "Bob Stone joined Globex in 2020.", GOOD):
            engine.extract(chunk(text), demo_ontology)
        assert [Request(body, "", 1).mode for body in endpoint.requests] == [ALL[0], ALL[0], ALL[1], ALL[0]]


@pytest.mark.parametrize(("pinned", "mode"), [("schema", ALL[0]), ("json", ALL[1]), ("tool", ALL[2])])
def test_a_pinned_form_is_kept_or_the_run_says_that_it_cannot_be(demo_ontology, pinned, mode):
    with start(ignoring()) as endpoint:
        engine = engine_at(endpoint, answer_mode=pinned)
        assert triples(engine.extract(chunk(), demo_ontology)) == FOUND
        assert Request(endpoint.requests[0], "", 1).mode == mode
    with start(refusing(mode)) as endpoint, pytest.raises(EngineUnavailableError, match=f"answer_mode: {pinned}") as failure:
        engine_at(endpoint, answer_mode=pinned).extract(chunk(), demo_ontology)
    assert failure.value.stops
    with start(ignoring(mode)) as endpoint, pytest.raises(ChunkFailedError, match="malformed_output"):
        engine_at(endpoint, answer_mode=pinned).extract(chunk(), demo_ontology)
    assert {Request(body, "", 1).mode for body in endpoint.requests} == {mode}


@pytest.mark.parametrize(
    ("unknown", "error", "shown"),
    [
        ({"temperature"}, {"message": "'temperature' does not support 0 with this model."}, "without temperature"),
        ({"seed"}, {"message": "Unsupported parameter", "param": "seed"}, "without seed"),
        ({"max_completion_tokens"}, {"detail": [{"loc": ["body", "max_completion_tokens"], "msg": "extra"}]}, "by JSON schema"),
        ({"max_completion_tokens", "max_tokens"}, None, "without a limit of the answer's length"),
        ({"temperature", "seed", "max_completion_tokens"}, None, "without seed, temperature"),
    ],
)  # fmt: skip
def test_options_that_an_endpoint_does_not_know_are_left_out(demo_ontology, unknown, error, shown):
    def respond(request: Request) -> Reply:
        if extra := sorted(unknown & request.body.keys()):
            content = error if error and "detail" in error else {"error": error or f"{extra[0]}: extra fields not permitted"}
            return Reply(status=400, raw=json.dumps(content))
        return Reply(good(request.text))

    with start(respond) as endpoint:
        engine = engine_at(endpoint, seed=7)
        assert triples(engine.extract(chunk(), demo_ontology)) == FOUND
        first, last = endpoint.requests[0], endpoint.requests[-1]
    assert (first["temperature"], first["seed"], first["max_completion_tokens"]) == (0, 7, 4096)
    assert not unknown & last.keys()
    assert ("max_tokens" in last) == ("max_completion_tokens" in unknown and "max_tokens" not in unknown)
    assert Request(last, "", 1).mode == "json_schema"
    assert shown in engine.usage()["answer_mode"]


def test_a_limit_that_is_known_by_its_older_name(demo_ontology):
    """An endpoint that ignores the newer name cuts off at its own default."""

    def respond(request: Request) -> Reply:
        whole = good(request.text)
        return Reply(whole) if "max_tokens" in request.body else Reply(whole[:30], finish_reason="length", usage=(900, 16))

    with start(respond) as endpoint:
        engine = engine_at(endpoint)
        assert len(engine.extract(chunk(TWO), demo_ontology).relations) == 1
        assert [request.get("max_tokens") for request in endpoint.requests] == [None, 4096]


def test_a_chunk_whose_answer_is_too_long_is_asked_about_in_parts(demo_ontology):
    texts = [f"Person {n} joined Company {n} in 201{n}." for n in range(4)]

    def respond(request: Request) -> Reply:
        if request.text.count("joined") > 1:
            return Reply('{"entities": [{"name', finish_reason="length", usage=(100, 4096))
        return Reply("", refusal="no") if "Person 2" in request.text else Reply(good(request.text.strip()))

    with start(respond) as endpoint:
        found = engine_at(endpoint).extract(chunk(" ".join(texts)), demo_ontology)
    assert [relation.subject for relation in found.relations] == ["Person 0", "Person 1", "Person 3"]
    assert [reason for reason, _, _ in found.rejected] == ["refused"]  # one part that fails loses no other
    assert found.prompt_tokens == 700
    assert len(endpoint.requests) == 7


@pytest.mark.parametrize("text", ["No end.", "", TWO, "一。二。三。"])
def test_halves_are_the_whole_text(text):
    halves = halved(chunk(text))
    assert "".join(half.text for half in halves) in (text, "")
    assert len(halves) == (2 if len(text) > 10 or "。" in text else 0)
    assert all(half.text.strip() for half in halves)


@pytest.mark.parametrize(
    "refusal",
    [
        Reply("Please reduce the length of the messages.", status=400, error={"code": "context_length_exceeded"}),
        Reply("the request exceeds the available context size", status=400),
        Reply("Requested tokens (999) exceed context window of 512", status=500),
        Reply("Request too large for m on tokens per min (TPM): Limit 1000, Requested 2000", status=429),
        Reply(status=413, raw="<html>Request Entity Too Large</html>"),
    ],
    ids=["official", "llama.cpp", "llama-cpp-python", "per-minute", "proxy"],
)
def test_a_request_that_is_too_long_is_made_in_parts(demo_ontology, refusal):
    def respond(request: Request) -> Reply:
        return refusal if "Alice" in request.text and "Bob" in request.text else Reply(good(request.text.strip()))

    with start(respond) as endpoint:
        assert len(engine_at(endpoint).extract(chunk(TWO), demo_ontology).relations) == 2
        assert len(endpoint.requests) == 3


def test_waits_follow_the_endpoint_and_are_bounded(demo_ontology):
    clock = Time()
    with start(
        answer(Reply(status=429, headers={"Retry-After": "7"}), Reply(status=503, headers={"retry-after-ms": "250"}))
    ) as endpoint:
        engine = engine_at(endpoint, clock)
        engine.extract(chunk(), demo_ontology)
    assert clock.slept == [7.0, 0.25]
    assert engine.usage()["seconds_waited"] == 7.25


def test_requests_that_the_headers_leave_no_room_for_wait(demo_ontology):
    clock = Time()
    headers = {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "1m30s"}
    with start(lambda request: Reply(good(request.text), headers=headers if request.nth == 1 else {})) as endpoint:
        engine = engine_at(endpoint, clock)
        for _ in range(3):
            engine.extract(chunk(), demo_ontology)
    assert clock.slept == [90.0]


def test_never_more_at_once_than_configured_and_a_refusal_slows_all(demo_ontology):
    lock, now, most = threading.Lock(), [0], [0]

    def respond(request: Request) -> Reply:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return (
            Reply(status=429, headers={"retry-after-ms": "1"})
            if request.nth == 1 and "3" in request.text
            else Reply(good(request.text))
        )

    with start(respond) as endpoint:
        engine = engine_at(endpoint, concurrency=3)
        threads = [
            threading.Thread(target=engine.extract, args=(chunk(f"Person {n} joined Acme in 2019."), demo_ontology))
            for n in range(9)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(endpoint.requests) == 10
    assert 1 < most[0] <= 3


def test_the_ceiling_in_tokens_is_never_passed_however_many_ask_at_once(demo_ontology):
    """Each request may need more than it does; those that find no room wait for what the others leave."""
    spent, stopped = [], []

    def ask(n: int) -> None:
        try:
            found = engine.extract(chunk(f"Person {n} joined Acme in 2019."), demo_ontology)
            spent.append(found.prompt_tokens + found.completion_tokens)
        except EngineUnavailableError as error:
            stopped.append(error)

    with start(lambda request: Reply(good(request.text), usage=(1500, 100), delay=0.01)) as endpoint:
        engine = engine_at(endpoint, concurrency=8, max_tokens_per_run=20_000)
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 8 <= len(spent) == len(endpoint.requests)
    assert sum(spent) <= 20_000
    assert stopped and all(error.stops and "raise extraction.max_tokens_per_run" in str(error) for error in stopped)


def test_the_ceiling_in_money(demo_ontology):
    prices = PricesConfig(input=1000.0, output=2000.0)
    with start(lambda request: Reply(good(request.text), usage=(1000, 500))) as endpoint:
        engine = engine_at(endpoint, prices=prices, max_cost_per_run=16.0)
        engine.extract(chunk(), demo_ontology)
        assert engine.usage()["cost"] == 2.0
        with pytest.raises(
            EngineUnavailableError, match=r"ceiling of 16 in money per run is reached \(\d+\.0000 spent"
        ) as failure:
            for _ in range(10):
                engine.extract(chunk(), demo_ontology)
        assert failure.value.stops
        assert 2.0 < engine.usage()["cost"] <= 16.0
        assert "not counted" in engine_at(endpoint).usage()["cost"]
    with pytest.raises(ValueError, match="needs prices"):
        ExtractionConfig(max_cost_per_run=1.0)


def test_the_ceiling_in_time(demo_ontology):
    clock = Time()
    with start(
        lambda request: Reply(status=429, headers={"Retry-After": "20"}) if request.nth == 1 else Reply(good(request.text))
    ) as endpoint:
        engine = engine_at(endpoint, clock, max_seconds_per_run=30.0)
        engine.extract(chunk(), demo_ontology)
        for text in ("Bob Stone joined Globex in 2020.", GOOD):  # a wait that would be too long, then no time at all
            with pytest.raises(EngineUnavailableError, match="ceiling of 30 seconds") as failure:
                engine.extract(chunk(text), demo_ontology)
            assert failure.value.stops
            clock.now += 20
        assert len(endpoint.requests) == 3
    with start(lambda request: Reply("", delay=5)) as endpoint:
        engine = engine_at(endpoint, max_seconds_per_run=0.2)
        began = time.monotonic()
        with pytest.raises(EngineUnavailableError):
            engine.extract(chunk(), demo_ontology)
        assert time.monotonic() - began < 3


def test_what_the_fingerprint_depends_on(monkeypatch):
    def mark(url: str = "http://a/v1", **more: object) -> str:
        config = ExtractionConfig(**({"engine": "openai", "model": "m"} | more))
        return OpenAIExtractor(KEY, url, config).fingerprint

    same = {mark(), mark("http://b/v1"), mark(answer_mode="json"), mark(concurrency=9), mark(max_retries=0)}
    assert len(same) == 1
    assert len(same | {mark(model="n"), mark(seed=1), mark(seed=2)}) == 4


@pytest.mark.parametrize(
    "reply",
    [
        Reply(f"Incorrect API key provided: {KEY}", status=401),
        Reply(f"boom {KEY}", status=500),
        Reply(status=502, raw=f"<html>{KEY}</html>"),
        Reply(raw=f"no json {KEY}"),
        Reply(f"no json {KEY}"),
        Reply("", refusal=f"I will not tell {KEY}"),
        Reply(f"bad {KEY}", status=400, error={"code": "content_filter"}),
        Reply(json.dumps({"entities": [{"name": KEY, "class": KEY}, KEY], "relations": [relation(KEY, KEY, KEY)]})),
        Reply("", broken="all"),
    ],
    ids=["401", "500", "502", "200-page", "text", "refusal", "filter", "items", "reset"],
)
def test_the_key_is_nowhere(demo_ontology, caplog, reply):
    caplog.set_level(logging.DEBUG)
    said = ""
    with start(lambda request: reply) as endpoint:
        endpoint.down = True
        engine = engine_at(endpoint)
        try:
            said = repr(engine.extract(chunk(), demo_ontology))
        except (ChunkFailedError, EngineUnavailableError) as error:
            parts = "".join(traceback.format_exception(error))
            seen: BaseException | None = error
            while seen is not None:
                parts += repr(seen) + repr(vars(seen))
                seen = seen.__context__
            said = parts
        assert endpoint.keys == {f"Bearer {KEY}"}
    assert KEY not in said + repr(engine.usage())
    assert KEY not in "".join(record.getMessage() + repr(record.args) for record in caplog.records)
    assert any(record.name.startswith("openai") for record in caplog.records)
