"""The prompt and the answer schema of the openai engine, made from the ontology.

Terms go by their local name where that is unique, else by their IRI. Of a large ontology, only the terms whose words occur
in the chunk are shown. What the model answers is read in `answers.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stratagraph.extraction.embedded.lexicon import CAMEL
from stratagraph.extraction.protocol import ChunkInput
from stratagraph.extraction.tokens import tokenise
from stratagraph.ontology.model import AGENT, CORE, ClassExpression, Ontology, OntologyClass, OntologyProperty

TEMPLATE = (Path(__file__).parent / "prompts" / "extract.md").read_text(encoding="utf-8")
_MAX_CLASSES, _MAX_PROPERTIES = 80, 120
_STEM = 5


def template_hash() -> str:
    """Hash of the prompt's fixed part; the ontology's part is covered by the ontology's own hash."""
    return hashlib.sha256(TEMPLATE.encode("utf-8")).hexdigest()[:16]


@dataclass
class Vocabulary:
    """The short names of an ontology's terms."""

    ontology: Ontology

    @cached_property
    def names(self) -> dict[str, str]:
        """IRI -> short name."""
        terms = [*self.ontology.classes, *self.ontology.properties]
        locals_ = {iri: iri.rstrip("#/").replace("#", "/").rpartition("/")[2].rpartition(":")[2] for iri in terms}
        counts = Counter(locals_.values())
        return {iri: name if counts[name] == 1 else iri for iri, name in locals_.items()}

    @cached_property
    def iris(self) -> dict[str, str]:
        """Short name -> IRI."""
        return {name: iri for iri, name in self.names.items()}

    def iri(self, name: str) -> str:
        """The IRI a model means; a name that is none of the ontology's stays as it is, and is refused later."""
        return self.iris.get(name, name)

    def relevant(self, chunk: ChunkInput) -> tuple[list[OntologyClass], list[OntologyProperty]]:
        """The classes and properties to show for a chunk: all, or of a large ontology those whose words it uses."""
        classes = [
            c for c in self.ontology.classes.values() if not c.deprecated and not (c.iri.startswith(CORE) or c.iri == AGENT)
        ]
        properties = [p for p in self.ontology.properties.values() if not p.deprecated and not p.iri.startswith(CORE)]
        if len(classes) <= _MAX_CLASSES and len(properties) <= _MAX_PROPERTIES:
            return classes, properties
        words = {token.lower for token in tokenise(chunk.text)}
        properties = _best(properties, words, _MAX_PROPERTIES)
        ends = {iri for prop in properties for union in (*prop.domain, *prop.range) for iri in union}
        return _best(classes, words, _MAX_CLASSES, ends), properties


def messages(vocabulary: Vocabulary, chunk: ChunkInput) -> list[dict[str, str]]:
    """The chat messages that ask about one chunk."""
    classes, properties = vocabulary.relevant(chunk)
    system = TEMPLATE  # the same for all chunks, so that an endpoint can keep it
    for key, value in {
        "classes": "\n".join(_class_line(vocabulary, c) for c in classes) or "(none)",
        "relations": "\n".join(_property_line(vocabulary, p) for p in properties if p.kind == "object") or "(none)",
        "attributes": "\n".join(_property_line(vocabulary, p) for p in properties if p.kind == "data") or "(none)",
    }.items():
        system = system.replace("{" + key + "}", value)
    about = [f"Reference time: {chunk.reference_time.isoformat()}", f"Language: {chunk.language}"]
    if chunk.speaker:
        about.append(f"Speaker: {json.dumps(chunk.speaker, ensure_ascii=False)}")
    if chunk.known:
        about.append(f"Names known: {json.dumps([known.name for known in chunk.known], ensure_ascii=False)}")
    # The marker depends on the text, so that no text can contain its own.
    marker = "text-" + hashlib.sha256(chunk.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    user = "\n".join([*about, f"Marker: {marker}", "", marker, chunk.text, marker])
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def answer_schema(vocabulary: Vocabulary, chunk: ChunkInput) -> dict[str, Any]:
    """JSON schema of an answer about one chunk (the subset that strict structured output allows)."""
    classes, properties = vocabulary.relevant(chunk)
    names = vocabulary.names
    text = {"type": "string"}
    time = {"type": ["string", "null"]}
    return _object(
        entities=_array(
            _object(
                name=text,
                **{"class": _enum([names[c.iri] for c in classes])},
                attributes=_array(_object(property=_enum([names[p.iri] for p in properties if p.kind == "data"]), value=text)),
            )
        ),
        relations=_array(
            _object(
                subject=text,
                predicate=_enum([names[p.iri] for p in properties if p.kind == "object"]),
                object=text,
                quote=text,
                ended={"type": "boolean"},
                valid_from=time,
                valid_to=time,
                valid_from_resolved=time,
                valid_to_resolved=time,
            )
        ),
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _enum(values: list[str]) -> dict[str, Any]:
    return {"type": "string", "enum": sorted(values)} if values else {"type": "string"}


def _class_line(vocabulary: Vocabulary, cls: OntologyClass) -> str:
    return f"- {vocabulary.names[cls.iri]}: {_labels(cls)}"


def _property_line(vocabulary: Vocabulary, prop: OntologyProperty) -> str:
    ends = _ends(vocabulary, prop.domain)
    if prop.kind == "object":
        ends += f" -> {_ends(vocabulary, prop.range)}"
    return f"- {vocabulary.names[prop.iri]} ({ends}): {_labels(prop)}"


def _ends(vocabulary: Vocabulary, expression: ClassExpression) -> str:
    unions = [" or ".join(sorted(vocabulary.names.get(iri, iri) for iri in union)) for union in expression]
    return " and ".join(unions) or "anything"


def _labels(term: OntologyClass | OntologyProperty) -> str:
    texts = list(dict.fromkeys(text for _, text in (*term.labels, *term.alt_labels)))
    return ", ".join(texts[:12]) or term.label


def _best(terms: list[Any], words: set[str], limit: int, wanted: set[str] | None = None) -> list[Any]:
    """Terms that share a word (by its first letters) with the text, most shared first, and those that are wanted anyway."""
    stems = {word[:_STEM] for word in words if len(word) > 2}

    def score(term: Any) -> int:
        texts = [text for _, text in (*term.labels, *term.alt_labels)] or [term.label]
        own = {token.lower[:_STEM] for text in texts for token in tokenise(CAMEL.sub(" ", text)) if len(token.text) > 2}
        return len(own & stems) + (1000 if wanted and term.iri in wanted else 0)

    scored = [(score(term), term) for term in terms]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].iri))[:limit]
    return sorted((term for _, term in best), key=lambda term: str(term.iri))
