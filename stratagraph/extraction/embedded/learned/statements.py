"""From what a sentence was read to state to entities and relations: classes by domain and range, and nothing that is denied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from stratagraph.extraction.embedded.clauses import is_stated
from stratagraph.extraction.embedded.learned.reading import Mention, Reader, Stated
from stratagraph.extraction.literals import read_value
from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation
from stratagraph.extraction.tokens import Token, tokenise
from stratagraph.ontology.model import THING, ClassExpression, Ontology
from stratagraph.ontology.validate import check_value

_MARKS = re.compile(r'["“”]')
_ASIDE = re.compile(r"\([^()]*\)")


def read_sentence(
    reader: Reader, chunk: ChunkInput, ontology: Ontology, start: int, end: int, classes: Mapping[str, str]
) -> Iterator[tuple[ExtractedEntity, ExtractedEntity | None, ExtractedRelation | None]]:
    """What a sentence of a chunk states: its subject, and its object with the relation (a data property has neither).

    Args:
        start, end: of the sentence in the chunk.
        classes: of names, as far as they are known.
    """
    text = chunk.text[start:end]
    tokens = tokenise(text)
    read = partial(read_value, reference_time=chunk.reference_time)
    for stated in reader.read(text, chunk.topic):
        subject, obj = stated.subject, stated.object
        if subject.name == obj.name or not _is_stated(text, tokens, (subject, obj)):
            continue
        prop = ontology.properties[stated.predicate]
        subject_class = _class(ontology, classes.get(subject.name), prop.domain)
        if prop.kind == "data":
            value = text[obj.start : obj.end]
            if check_value(ontology, subject_class, prop.iri, value, read)[1] is None:  # a guess of another form is no find
                yield _entity(subject, subject_class, text, stated, ((prop.iri, value),)), None, None
            continue
        relation = ExtractedRelation(subject.name, prop.iri, obj.name, text, confidence=stated.confidence)
        yield (
            _entity(subject, subject_class, text, stated),
            _entity(obj, _class(ontology, classes.get(obj.name), prop.range), text, stated),
            relation,
        )


def _is_stated(text: str, tokens: list[Token], ends: tuple[Mention, Mention]) -> bool:
    """Whether the sentence states what it says of two names.

    What stands in brackets denies nothing outside them, and quotation marks are mostly those of titles: who only says so is
    found by the verb of saying.
    """
    names = [(end.start, end.end) for end in ends]

    def blank(aside: re.Match[str]) -> str:
        inside = any(aside.start() < stop and start < aside.end() for start, stop in names)
        return aside.group() if inside else " " * len(aside.group())

    last = max(names)
    return is_stated(_MARKS.sub(" ", _ASIDE.sub(blank, text)), 0, last, last[1], tokens, names)


def _class(ontology: Ontology, known: str | None, expression: ClassExpression) -> str:
    """The class that a thing is known to have, if it may stand there; else the first one that may."""
    if known is not None and ontology.satisfies(known, expression):
        return known
    allowed = sorted(iri for union in expression for iri in union if ontology.satisfies(iri, expression))
    return allowed[0] if allowed else THING


def _entity(
    mention: Mention, class_iri: str, text: str, stated: Stated, attributes: tuple[tuple[str, str], ...] = ()
) -> ExtractedEntity:
    written = text[mention.start : mention.end]
    surface = written if written != mention.name else None
    return ExtractedEntity(mention.name, class_iri, surface, attributes, confidence=stated.confidence)
