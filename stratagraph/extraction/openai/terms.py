"""Writes chosen terms of an ontology as the lines of a prompt: tersely, and about each only what its name does not say.

Properties stand together by what they are between, so that the classes are written once: `Person > Organization: worksFor`.
Which terms are chosen is `vocabulary.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from stratagraph.documents.tokens import count_tokens
from stratagraph.extraction.events import HAS_PARTICIPANT, is_event
from stratagraph.extraction.openai.relevance import Term, as_words
from stratagraph.ontology.model import THING, ClassExpression, Labels, Ontology, OntologyClass, OntologyProperty
from stratagraph.search.analysis import document_terms

_OTHER_NAMES, _VALUES, _ENDS = 4, 8, 4  # the most that are shown of a term; of its ends where space is short
_NAME, _COMMENT = 40, 120  # characters
_TYPES = {
    **dict.fromkeys(("string", "langString", "normalizedString", "token", "Literal", "PlainLiteral", "anySimpleType"), ""),
    **dict.fromkeys(("decimal", "float", "double", "real", "rational", "nonNegativeInteger", "positiveInteger"), "number"),
    **dict.fromkeys(("integer", "int", "long", "short"), "number"),
    **dict.fromkeys(("dateTime", "dateTimeStamp"), "date"),
    "boolean": "true or false", "gYear": "year", "gYearMonth": "month", "anyURI": "URL",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Selection:
    """The terms that are shown for a chunk, and how.

    Args:
        classes: of things. events: of events, where these stand apart.
        relations: object properties. roles: those that say how someone takes part in an event. attributes: data properties.
        names: short names by IRI.
        detail: 0: labels that say more than the name; 1: other names as well; 2: what the term means as well.
    """

    ontology: Ontology
    names: Mapping[str, str]
    detail: int
    classes: tuple[OntologyClass, ...]
    events: tuple[OntologyClass, ...]
    relations: tuple[OntologyProperty, ...]
    roles: tuple[OntologyProperty, ...]
    attributes: tuple[OntologyProperty, ...]

    @classmethod
    def of(
        cls, ontology: Ontology, names: Mapping[str, str], terms: Iterable[Term], detail: int, *, events: bool = False
    ) -> Selection:
        """Terms, sorted out."""
        chosen = sorted(terms, key=lambda term: (names[term.iri].casefold(), term.iri))
        classes = [term for term in chosen if isinstance(term, OntologyClass)]
        properties = [term for term in chosen if isinstance(term, OntologyProperty)]
        apart = {term.iri for term in classes if events and is_event(ontology, term.iri)}
        apart |= {term.iri for term in properties if events and HAS_PARTICIPANT in term.ancestors}
        return cls(
            ontology, names, detail,
            classes=tuple(term for term in classes if term.iri not in apart),
            events=tuple(term for term in classes if term.iri in apart),
            relations=tuple(term for term in properties if term.kind == "object" and term.iri not in apart),
            roles=tuple(term for term in properties if term.kind == "object" and term.iri in apart),
            attributes=tuple(term for term in properties if term.kind == "data"),
        )  # fmt: skip

    @cached_property
    def tokens(self) -> int:
        """What the terms take of a request: as they are written here, and their names in the answer's schema."""
        terms: tuple[Term, ...] = (*self._all_classes, *self.relations, *self.roles, *self.attributes)
        names = [self.names[term.iri] for term in terms]
        return count_tokens("\n".join((*self.sections.values(), json.dumps(names, ensure_ascii=False))))

    @cached_property
    def sections(self) -> dict[str, str]:
        """The lines, by what they are about."""
        return {
            "classes": self._class_lines(self.classes), "event_classes": self._class_lines(self.events),
            "relations": self._property_lines(self.relations), "roles": self._property_lines(self.roles),
            "attributes": self._property_lines(self.attributes),
        }  # fmt: skip

    @cached_property
    def _all_classes(self) -> tuple[OntologyClass, ...]:
        return self.classes + self.events

    def _class_lines(self, classes: Iterable[OntologyClass]) -> str:
        return "\n".join(f"{self._term(cls)}{self._parents(cls)}" for cls in classes) or "(none)"

    def _property_lines(self, properties: Iterable[OntologyProperty]) -> str:
        groups: dict[str, list[str]] = {}
        ends_of = lru_cache(maxsize=None)(self._satisfying)
        for prop in properties:
            ends = (prop.domain, prop.range) if prop.kind == "object" else (prop.domain,)
            groups.setdefault(" > ".join(map(ends_of, ends)), []).append(self._term(prop))
        return "\n".join(f"{ends}: {', '.join(terms)}" for ends, terms in sorted(groups.items())) or "(none)"

    def _term(self, term: Term) -> str:
        name = self.names[term.iri]
        said = [text for text in (_type(term), ", ".join(self._other_names(term)), self._meaning(term)) if text]
        return f"{name} ({'; '.join(said)})" if said else name

    def _other_names(self, term: Term) -> Iterator[str]:
        """The label and other names of a term, as far as each has a word that the ones before have not."""
        others = in_english(term.labels)[:1] + (in_english(term.alt_labels) if self.detail else [])
        known, count = set(stems(self.names[term.iri])), 0
        for name in others:
            if stems(name) - known and count < _OTHER_NAMES:
                known |= stems(name)
                count += 1
                yield _one_line(name, _NAME)

    def _meaning(self, term: Term) -> str:
        comments = in_english(term.comments) if self.detail > 1 else []
        return _one_line(comments[0], _COMMENT) if comments else ""

    def _parents(self, cls: OntologyClass) -> str:
        above = [one for one in self._all_classes if _below(cls, one)]
        nearest = [one for one in above if not any(_below(other, one) for other in above)]
        return f" < {'|'.join(self.names[one.iri] for one in nearest)}" if nearest else ""

    def _satisfying(self, expression: ClassExpression) -> str:
        """The highest of the shown classes that satisfy an expression; of one that none satisfies, the classes it names."""
        unions = [union for union in expression if THING not in union]
        members = [cls for cls in self._all_classes if all(cls.ancestors & union for union in unions)]
        if len(members) == len(self._all_classes):
            return "any"
        highest = [one for one in members if not any(_below(one, other) for other in members)]
        ends = [self.names[one.iri] for one in highest] or sorted({local_name(iri) for union in unions for iri in union})
        return "|".join(ends if self.detail or len(ends) <= _ENDS else [*ends[:_ENDS], "…"])


def in_english(texts: Labels) -> list[str]:
    """Texts in English or without a language; if there are none, all."""
    return [text for language, text in texts if language.partition("-")[0] in ("", "en")] or [text for _, text in texts]


def _below(one: OntologyClass, other: OntologyClass) -> bool:
    return other.iri in one.ancestors and one.iri not in other.ancestors


def _type(term: Term) -> str:
    """What values of a data property look like, if that is not just text."""
    if isinstance(term, OntologyClass) or term.kind == "object":
        return ""
    if 0 < len(term.one_of) <= _VALUES:
        return "one of " + ", ".join(_one_line(value, _NAME) for value in term.one_of)
    hints = {_TYPES.get(local_name(iri), local_name(iri)) for iri in term.datatypes}
    return "" if "" in hints else " or ".join(sorted(hints))


@lru_cache(maxsize=20_000)
def stems(text: str) -> frozenset[str]:
    """The words of a name that carry meaning."""
    return frozenset(document_terms(as_words(text))[0])


def _one_line(text: str, longest: int) -> str:
    """A text on one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    cut = line[: longest - 1]
    return line if len(line) <= longest else (cut.rpartition(" ")[0] or cut) + "…"


def local_name(iri: str) -> str:
    """The last part of an IRI."""
    return iri.rstrip("#/").replace("#", "/").rpartition("/")[2].rpartition(":")[2] or iri
