"""The terms of an ontology as a model sees them: short names, those that may be shown, and those that are shown for a text.

What a term has to do with a text is `relevance.py`; how terms are written is `terms.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal, TypeVar

from stratagraph.errors import ExtractionError
from stratagraph.extraction.events import AT_PLACE, EVENT, HAS_PARTICIPANT
from stratagraph.extraction.openai.relevance import Term, TermIndex
from stratagraph.extraction.openai.terms import Selection, local_name
from stratagraph.ontology.model import CORE, Ontology, OntologyClass, OntologyProperty

Mode = Literal["facts", "events"]
AnyTerm = TypeVar("AnyTerm", OntologyClass, OntologyProperty)

BUDGET = 1200
_EVENT_TERMS = (EVENT, HAS_PARTICIPANT)  # a place has a field of its own
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
        return _shown(self.ontology.classes.values(), self.mode)

    @cached_property
    def properties(self) -> list[OntologyProperty]:
        """Properties that may be shown."""
        return _shown(self.ontology.properties.values(), self.mode)

    @cached_property
    def _terms(self) -> list[Term]:
        return [*self.classes, *self.properties]

    @cached_property
    def names(self) -> dict[str, str]:
        """IRI -> short name of the terms that may be shown: the local name where it is unique, else the IRI."""
        locals_ = {term.iri: local_name(term.iri) for term in self._terms}
        counts = Counter(locals_.values())
        return {iri: name if counts[name] == 1 else iri for iri, name in locals_.items()}

    @cached_property
    def iris(self) -> dict[str, str]:
        """Short name -> IRI."""
        return {name: iri for iri, name in self.names.items()}

    def iri(self, name: str) -> str:
        """The IRI a model means; a name that is none of the ontology's stays as it is, and is refused later."""
        return self.iris.get(name, name)

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


def _shown(terms: Iterable[AnyTerm], mode: Mode) -> list[AnyTerm]:
    """Terms without the deprecated ones, those of the core vocabulary (but events) and those that are only mentioned."""
    known = [term for term in terms if not term.deprecated]
    described = [term for term in known if term.labels or term.alt_labels or term.comments]
    above = {iri for term in described for iri in term.ancestors}
    spaces = {_namespace(term.iri) for term in described}
    return [
        term
        for term in known
        if (not term.iri.startswith(CORE) or (mode == "events" and term.iri in _EVENT_TERMS))
        # Of another vocabulary, of which nothing is described: it only stands in an axiom of a term that is.
        and not (term.iri in above and _namespace(term.iri) not in spaces)
    ]


def _namespace(iri: str) -> str:
    return iri.removesuffix(local_name(iri))
