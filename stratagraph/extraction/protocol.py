"""What an extraction engine is: the protocol, its input and its output.

An engine reads one chunk and says what it found, as written: names, classes and properties as IRIs, quotes, times. It does
not check itself: grounding and the ontology's rules are applied afterwards, in `resolve.py`, to every engine alike.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Protocol

from stratagraph.ontology.model import Ontology


@dataclass(frozen=True, order=True)
class KnownName:
    """A name that is known already, of a speaker or of a thing that a source or the document's earlier text names.

    Args:
        class_iri: its class, if that is known.
    """

    name: str
    class_iri: str | None = None


@dataclass(frozen=True)
class ChunkInput:
    """A chunk as an engine sees it.

    Args:
        text: data, never instructions.
        reference_time: when the document was written; relative dates count from here.
        language: ISO 639-1 code, or 'und'.
        speaker: who says 'I' in this chunk, if it is a turn of a conversation.
        known: names in the text that are known already.
        topic: what the document is about (its title), if it says so.
    """

    text: str
    reference_time: datetime
    language: str = "und"
    speaker: str | None = None
    known: tuple[KnownName, ...] = ()
    topic: str | None = None


@dataclass(frozen=True)
class ExtractedEntity:
    """A thing the text names.

    Args:
        name: its name; as in the text, or the speaker's.
        class_iri: its class.
        surface: how the text writes it, if not as `name` ('I').
        attributes: (data property IRI, value).
        quote: the words that describe it, where a name is not enough: of an event.
        valid_from, valid_to: of an event: ISO 8601 in UTC as resolved, None when the text names no time.
        valid_from_text, valid_to_text: the time as written.
    """

    name: str
    class_iri: str
    surface: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    quote: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    valid_from_text: str | None = None
    valid_to_text: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True)
class ExtractedRelation:
    """A relation the text states between two of its entities (by name).

    Args:
        quote: the words that say so, from the text.
        ended: the text says that the relation ended.
        valid_from, valid_to: ISO 8601 in UTC as resolved, None when the text names no time.
        valid_from_text, valid_to_text: the time as written.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    ended: bool = False
    valid_from: str | None = None
    valid_to: str | None = None
    valid_from_text: str | None = None
    valid_to_text: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True)
class Extraction:
    """What an engine found in one chunk, and what it cost.

    Args:
        rejected: (reason code, detail, payload) of what the engine itself could not read.
    """

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    rejected: tuple[tuple[str, str, str], ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Extraction:
        raw: dict[str, Any] = json.loads(text)
        return cls(
            entities=tuple(
                ExtractedEntity(**{**e, "attributes": tuple((a[0], a[1]) for a in e["attributes"])}) for e in raw["entities"]
            ),
            relations=tuple(ExtractedRelation(**r) for r in raw["relations"]),
            rejected=tuple((r[0], r[1], r[2]) for r in raw["rejected"]),
            prompt_tokens=raw["prompt_tokens"],
            completion_tokens=raw["completion_tokens"],
        )


class ChunkFailedError(Exception):
    """The engine cannot read this chunk, now or later (refusal, output that stays malformed). The others go on.

    Args:
        reason: a code for the quarantine.
        detail: what was wrong.
        payload: what the engine got, shortened.
    """

    def __init__(self, reason: str, detail: str, payload: str = "", prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        self.reason, self.detail, self.payload = reason, detail, payload
        self.prompt_tokens, self.completion_tokens = prompt_tokens, completion_tokens
        super().__init__(f"{reason}: {detail}")


class EngineUnavailableError(Exception):
    """The engine cannot work at present (endpoint down, key refused, ceiling reached). A later run may succeed.

    Args:
        stops: whether there is no point in trying further chunks in this run.
    """

    def __init__(self, detail: str, *, stops: bool = False) -> None:
        self.stops = stops
        super().__init__(detail)


class Extractor(Protocol):
    """An extraction engine.

    Attributes:
        name: what stands in `statements.extractor`, such as 'embedded/1' or 'openai/gpt-4o-mini'.
        fingerprint: changes whenever the same chunk could give another answer (prompt, model, rules).
        concurrency: how many chunks may be extracted at once.
        known_in_key: whether a chunk is read anew when other names in it become known (`ChunkInput.known`, `.topic`): right for
            an engine that costs nothing, and not for one that is paid for.

    Two more methods are used where an engine has them: `usage() -> dict[str, int | float | str]`, what it did so far, for the
    stage's metadata; and `extract_all(questions, ontology)`, which takes (key, chunk) of all chunks and gives (key, outcome) as
    outcomes come: an Extraction, or one of the errors above.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def concurrency(self) -> int: ...

    @property
    def known_in_key(self) -> bool: ...

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction: ...
