"""What a model is asked about a chunk: the fixed text of `prompts/`, the terms that matter, and the chunk as data.

The fixed part comes first and is the same for every chunk, so that an endpoint can keep it. Nothing from a document stands in
it: the text stands between markers that it cannot contain, and what else is known of it as JSON on one line.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from stratagraph.extraction.openai.schema import schema_of
from stratagraph.extraction.openai.terms import Selection
from stratagraph.extraction.openai.vocabulary import Vocabulary
from stratagraph.extraction.protocol import ChunkInput, KnownName
from stratagraph.ontology.model import Ontology

VERSION = 1  # of what the code here and the choice of terms make of a chunk
PROMPTS = Path(__file__).parent / "prompts"
_KNOWN, _NAME, _TOPIC = 40, 100, 200  # the most names that are passed along, and characters of one and of a title
_LANGUAGE = re.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
# What JSON leaves as it is, and would break a line or change the direction in which it reads.
_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@cache
def template_hash() -> str:
    """Hash of the prompt's files and of this code's version; the ontology's part is covered by the ontology's own hash."""
    files = "\n".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in sorted(PROMPTS.glob("*.md")))
    return hashlib.sha256(f"{VERSION}\n{files}".encode()).hexdigest()[:16]


@cache
def _template(mode: str) -> str:
    extract, events = ((PROMPTS / name).read_text(encoding="utf-8") for name in ("extract.md", "events.md"))
    lists = '"entities" and "relations"' if mode == "facts" else '"entities", "relations" and "events"'
    return extract.replace("{lists}", lists).replace("{events}", events if mode == "events" else "")


def messages(vocabulary: Vocabulary, chunk: ChunkInput) -> list[dict[str, str]]:
    """The chat messages that ask about one chunk."""
    sections = _selection(vocabulary, chunk).sections
    system = re.sub(r"\{(\w+)\}", lambda match: sections[match[1]], _template(vocabulary.mode))
    return [{"role": "system", "content": system}, {"role": "user", "content": _about(vocabulary, chunk)}]


def answer_schema(vocabulary: Vocabulary, chunk: ChunkInput) -> dict[str, Any]:
    """JSON schema of an answer about one chunk."""
    return schema_of(_selection(vocabulary, chunk), events=vocabulary.mode == "events")


def prompt_of(chunk: ChunkInput, ontology: Ontology, **options: Any) -> str:
    """The whole prompt about a chunk, as a person would read it.

    Args:
        options: of `Vocabulary`: budget, mode.
    """
    asked = messages(Vocabulary(ontology, **options), chunk)
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in asked)


def _selection(vocabulary: Vocabulary, chunk: ChunkInput) -> Selection:
    return vocabulary.selection(chunk.text, frozenset(name.class_iri for name in _known(chunk) if name.class_iri))


def _about(vocabulary: Vocabulary, chunk: ChunkInput) -> str:
    text = _sendable(chunk.text)
    # The marker depends on the text, so that no text can contain its own.
    marker = "text-" + hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    language = chunk.language if _LANGUAGE.fullmatch(chunk.language) else "und"
    lines = [f"Reference time: {chunk.reference_time.isoformat()}", f"Language: {language}"]
    if chunk.topic:
        lines.append(f"Title: {_quoted(chunk.topic[:_TOPIC])}")
    if chunk.speaker:
        lines.append(f"Speaker: {_quoted(chunk.speaker[:_NAME])}")
    if known := _known(chunk):
        lines.append(f"Known: {_quoted([[name.name, vocabulary.names.get(name.class_iri or '')] for name in known])}")
    return "\n".join([*lines, f"Marker: {marker}", "", marker, text, marker])


def _known(chunk: ChunkInput) -> list[KnownName]:
    """The names that are passed along; one that is too long to be a name is left out."""
    return [name for name in chunk.known if len(name.name) <= _NAME][:_KNOWN]


def _quoted(value: object) -> str:
    """JSON on one line, without characters that are not seen."""
    text = _sendable(json.dumps(value, ensure_ascii=False))
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _sendable(text: str) -> str:
    """A text that every endpoint takes: a NUL and half of a surrogate pair become a question mark, so places stay."""
    return text.replace("\x00", "?").encode("utf-8", "replace").decode("utf-8")
