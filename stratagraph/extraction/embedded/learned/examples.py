"""Reads annotated examples: JSON Lines, one text with the triples that it states.

    {"text": "Ann Smith joined Acme.", "triples": [{"subject": "Ann Smith", "predicate": "works for", "object": "Acme"}]}

A predicate is a property of the ontology by IRI, prefixed name or label. Which words of the text a subject or object stands
for is found in `training.py`; it need not stand there literally.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagraph.errors import ExtractionError
from stratagraph.ontology.align import Aligner
from stratagraph.ontology.model import Ontology
from stratagraph.project import fingerprint

MAX_TEXT = 2000
_SHAPE = 'a line is {"text": …, "triples": [{"subject": …, "predicate": …, "object": …}, …]}'


@dataclass(frozen=True, order=True)
class Triple:
    """What a text states. predicate: the IRI of a property."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class Example:
    """A sentence (or two) and everything that its annotator found worth saying of it."""

    text: str
    triples: tuple[Triple, ...]


def read_examples(files: Iterable[Path], ontology: Ontology, prefixes: Mapping[str, str] | None = None) -> list[Example]:
    """All examples of some files, in order; one text in several lines is one example.

    Raises:
        ExtractionError: a line that is no example, or that names no property of the ontology; with file and line.
    """
    triples: dict[str, dict[Triple, None]] = {}
    for file in files:
        for number, line in enumerate(_lines(file), start=1):
            if line.strip():
                text, found = _example(line, f"{file}:{number}", ontology, prefixes or {})
                triples.setdefault(text, {}).update(dict.fromkeys(found))
    return [Example(text, tuple(found)) for text, found in triples.items()]


def examples_fingerprint(files: Iterable[Path]) -> str:
    """Fingerprint of the bytes of example files."""
    return fingerprint("examples", *(_bytes(file).hex() for file in files))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ExtractionError(
            f"the file of examples cannot be read: {error.strerror}", where=str(file), hint="check extraction.examples"
        ) from error


def _lines(file: Path) -> list[str]:
    data = _bytes(file)
    try:
        return data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ExtractionError("the file of examples is not UTF-8", where=f"{file}:{line}", hint="save it as UTF-8") from error


def _example(line: str, where: str, ontology: Ontology, prefixes: Mapping[str, str]) -> tuple[str, list[Triple]]:
    try:
        raw: Any = json.loads(line)
        text = _text(raw["text"])
        written = [(_text(t["subject"]), _text(t["predicate"]), _text(t["object"])) for t in raw["triples"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ExtractionError(f"not an annotated example: {error}", where=where, hint=_SHAPE) from error
    if len(text) > MAX_TEXT:
        raise ExtractionError(
            f"an example of {len(text):,} characters", where=where, hint=f"give sentences, at most {MAX_TEXT:,} characters"
        )
    return text, [Triple(subject, _predicate(name, where, ontology, prefixes), obj) for subject, name, obj in written]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{value!r} is no text")
    value.encode("utf-8")  # half of a surrogate pair is no text
    return value.strip()


def _predicate(name: str, where: str, ontology: Ontology, prefixes: Mapping[str, str]) -> str:
    aligner = Aligner.of(ontology)
    found = [aligner.align(name, "object", prefixes), aligner.align(name, "data", prefixes)]
    iris = sorted({each.iri for each in found if each.iri})
    if len(iris) != 1:
        why = "; ".join(each.why for each in found if each.why)
        raise ExtractionError(f"{name!r} is no property of the ontology", where=where, hint=why or "use its IRI or its label")
    return iris[0]
