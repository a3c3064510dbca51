"""The terms of an ontology as a model sees them: short names, those that may be shown, and those that are shown for a text.

What a term has to do with a text is `relevance.py`; how terms are written is `terms.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal, TypeVar

from stratagraph.errors import ExtractionError
from stratagraph.extraction.events import AT_PLACE, EVENT, HAS_PARTICIPANT
from stratagraph.extraction.openai.relevance import Term, TermIndex
from stratagraph.extraction.openai.terms import Selection, in_english, local_name, stems
from stratagraph.ontology.model import CORE, Ontology, OntologyClass, OntologyProperty

Mode = Literal["facts", "events"]
AnyTerm = TypeVar("AnyTerm", OntologyClass, OntologyProperty)

BUDGET = 1200
_EVENT_TERMS = (EVENT, HAS_PARTICIPANT)  # a place has a field of its own
_PLAIN = re.compile(r"\w[\w '-]{0,39}")  # a label that can be a name
_KEPT = 64
_SMALLEST = 10  # tokens of a term, its name in the schema included: no more terms than that make can fit


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """An ontology as a model sees it.

    Args:
        budget: the most tokens that terms may take of a request, in the prompt and in the answer's schema together.
        mode: facts: things and relations. events: what happened as well, and who took part.

    Raises:
        ExtractionError: events are asked for, and the ontology has no terms for them.
    """

    ontology: Ontology
    budget: int = BUDGET
    mode: Mode = "facts"

    def __post_init__(self) -> None:
        terms = {*self.ontology.classes, *self.ontology.properties}
        if self.mode == "events" and not {EVENT, HAS_PARTICIPANT, AT_PLACE} <= terms:
            raise ExtractionError(
                "the ontology has no terms for events", where="extraction.mode",
                hint=f"import the core vocabulary, which has them: owl:imports <{CORE.rstrip('#')}> in one of ontology.files",
            )  # fmt: skip

    @cached_property
    def classes(self) -> list[OntologyClass]:
        """Classes that may be shown."""
        ends = {iri for prop in self.ontology.properties.values() for union in (*prop.domain, *prop.range) for iri in union}
        return _shown(self.ontology.classes.values(), self.mode, ends)

    @cached_property
    def properties(self) -> list[OntologyProperty]:
        """Properties that may be shown."""
        spoken_of = {prop.iri for prop in self.ontology.properties.values() if prop.domain or prop.range}
        return _shown(self.ontology.properties.values(), self.mode, spoken_of)

    @cached_property
    def _terms(self) -> list[Term]:
        return [*self.classes, *self.properties]

    @cached_property
    def names(self) -> dict[str, str]:
        """IRI -> short name of the terms that may be shown; no two classes have one name, nor two properties."""
        return _names(self.classes) | _names(self.properties)

    def class_iri(self, name: str) -> str:
        """The class a model means; a name that is none of the ontology's stays as it is, and is refused later."""
        return self._class_iris.get(name, name)

    def property_iri(self, name: str) -> str:
        """The same of a property."""
        return self._property_iris.get(name, name)

    @cached_property
    def _class_iris(self) -> dict[str, str]:
        return {self.names[cls.iri]: cls.iri for cls in self.classes}

    @cached_property
    def _property_iris(self) -> dict[str, str]:
        return {self.names[prop.iri]: prop.iri for prop in self.properties}

    def selection(self, text: str, wanted: frozenset[str] = frozenset()) -> Selection:
        """The terms to show for a text: all, with as much about each as the budget allows, or those that matter to it.

        Args:
            wanted: terms that matter in any case.
        """
        return self._all or self._kept(text, wanted)

    @cached_property
    def _kept(self) -> Callable[[str, frozenset[str]], Selection]:
        return lru_cache(maxsize=_KEPT)(self._some)  # a request needs it for its prompt and for its schema

    @cached_property
    def _all(self) -> Selection | None:
        terms = self._terms
        if len(terms) * _SMALLEST > 2 * self.budget:
            return None
        shown = (self._selected(terms, detail) for detail in (2, 1, 0))
        return next((selection for selection in shown if selection.tokens <= self.budget), None)

    def _some(self, text: str, wanted: frozenset[str]) -> Selection:
        always = [term for term in self._terms if term.iri in wanted or term.iri in _EVENT_TERMS]
        terms = [*always, *islice(self._index.rank(text), self.budget // _SMALLEST)]
        while (selection := self._selected(terms, 0)).tokens > self.budget and terms:
            terms = terms[: min(len(terms) - 1, len(terms) * self.budget // selection.tokens)]
        return selection

    def _selected(self, terms: list[Term], detail: int) -> Selection:
        return Selection.of(self.ontology, self.names, terms, detail, events=self.mode == "events")

    @cached_property
    def _index(self) -> TermIndex:
        return TermIndex(self.ontology, self.classes, self.properties)


def _shown(terms: Iterable[AnyTerm], mode: Mode, spoken_of: set[str]) -> list[AnyTerm]:
    """Terms without the deprecated ones, those of the core vocabulary (but events) and those that are only mentioned.

    Args:
        spoken_of: terms that axioms need.
    """
    known = [term for term in terms if not term.deprecated]
    described = [term for term in known if term.labels or term.alt_labels or term.comments]
    above = {iri for term in described for iri in term.ancestors}
    spaces = {_namespace(term.iri) for term in described}
    return [
        term
        for term in known
        if (not term.iri.startswith(CORE) or (mode == "events" and term.iri in _EVENT_TERMS))
        # Of another vocabulary, of which nothing is described: what stands above a term that is, and nowhere else.
        and (term.iri in spoken_of or term.iri not in above or _namespace(term.iri) in spaces)
    ]


def _names(terms: Iterable[Term]) -> dict[str, str]:
    """Of each term the first that is unique of its label (if its IRI ends in a number that says nothing, such as
    GO_0008150), its local name and its IRI."""
    choices = {term.iri: (_label_of_number(term), local_name(term.iri), term.iri) for term in terms}
    counts = Counter(name for names in choices.values() for name in {*names})
    return {iri: next(name for name in names if name and counts[name] == 1) for iri, names in choices.items()}


def _label_of_number(term: Term) -> str:
    """The label of a term whose local name has digits and nothing of the label in it."""
    label = " ".join(next(iter(in_english(term.labels)), "").split())
    name = local_name(term.iri)
    opaque = any(map(str.isdigit, name)) and not stems(name) & stems(label)
    return label if opaque and _PLAIN.fullmatch(label) else ""


def _namespace(iri: str) -> str:
    return iri.removesuffix(local_name(iri))
