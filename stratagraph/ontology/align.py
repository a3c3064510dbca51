"""Finds the term that a name from outside means: by IRI, prefixed name, local name, label or altLabel of any language.

Exact after normalisation (Unicode form, case, punctuation, spaces, underscores and camelCase), never by likeness: a near miss
is a suggestion for people. A name of several terms means none of them. The short names that a prompt uses are
`extraction/openai/`'s own.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from stratagraph.config.problems import nearest
from stratagraph.identity.names import normalise_name
from stratagraph.ontology.model import Ontology, OntologyClass, OntologyProperty, local_name

Term = OntologyClass | OntologyProperty
Kind = Literal["class", "object", "data"]

_LONGEST = 500  # characters; what is longer names nothing
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"(?<![0-9]) | (?![0-9])")  # between two numbers a space tells them apart: 1 1 is not 11
_PREFIXED = re.compile(r"[A-Za-z][\w.-]*:(?!//)(?P<local>[^\s:/#]+)")


@dataclass(frozen=True)
class Alignment:
    """What a name means.

    Args:
        iri: the term, or None.
        ambiguous: the terms among which it does not tell, sorted.
        suggestion: the IRI of a term that is called nearly so, for people to decide.
    """

    iri: str | None = None
    ambiguous: tuple[str, ...] = ()
    suggestion: str | None = None

    @property
    def why(self) -> str:
        """What to say of a name that means nothing; empty where it means something or nobody knows."""
        if self.ambiguous:
            return f"it may be any of {', '.join(self.ambiguous)}"
        return f"did you mean {self.suggestion}?" if self.suggestion else ""


@dataclass(frozen=True)
class Aligner:
    """The names of an ontology's terms."""

    ontology: Ontology

    @classmethod
    def of(cls, ontology: Ontology) -> Aligner:
        """The aligner of an ontology, made once and kept with it, as its cached properties are."""
        found = ontology.__dict__.setdefault("_aligner", cls(ontology))
        assert isinstance(found, cls)
        return found

    def align(self, name: str, kind: Kind, prefixes: Mapping[str, str] | None = None) -> Alignment:
        """The term of a kind that a name means.

        Args:
            prefixes: what prefixes stand for; without them, that of a prefixed name is passed over.
        """
        if name in self._terms[kind]:
            return Alignment(name)
        if len(name) > _LONGEST:
            return Alignment()
        prefixed = _PREFIXED.fullmatch(name)
        if prefixed and prefixes is not None:
            prefix, _, local = name.partition(":")
            iri = prefixes.get(prefix, "") + local
            return Alignment(iri) if iri in self._terms[kind] else Alignment(suggestion=self.nearest(local, kind))
        # GO:0008150 may be GO_0008150. What a term is called outranks what else it is called.
        keys = [key for key in (_key(prefixed["local"]) if prefixed else "", _key(name)) if key]
        for names, key in ((names, key) for names in self._names[kind] for key in keys):
            found = names.get(key, ())
            if len(found) > 1:
                return Alignment(ambiguous=tuple(sorted(found)))
            if found:
                return Alignment(next(iter(found)))
        return Alignment(suggestion=self.nearest(name, kind))

    def nearest(self, name: str, kind: Kind) -> str | None:
        """The term that is called most nearly so, if any is; for people, never for the graph."""
        spelled = {spelling: iri for names in reversed(self._names[kind]) for spelling, iris in names.items() for iri in iris}
        key = _key(local_name(name) if "://" in name else name)
        guess = nearest(key, spelled) if key else None
        return spelled[guess] if guess else None

    def short(self, class_iri: str) -> str:
        """What tells a class from the ontology's other classes: its local name, with a hash where several have that one."""
        local = local_name(class_iri)
        if self._local_names[local] < 2:
            return local
        return f"{local}~{hashlib.md5(class_iri.encode(), usedforsecurity=False).hexdigest()[:8]}"

    @cached_property
    def _local_names(self) -> Counter[str]:
        return Counter(map(local_name, self.ontology.classes))

    @cached_property
    def _terms(self) -> dict[Kind, dict[str, Term]]:
        properties = self.ontology.properties.items()
        return {
            "class": dict(self.ontology.classes.items()),
            "object": {iri: prop for iri, prop in properties if prop.kind == "object"},
            "data": {iri: prop for iri, prop in properties if prop.kind == "data"},
        }

    @cached_property
    def _names(self) -> dict[Kind, list[dict[str, set[str]]]]:
        """Of each kind: normalised labels and local names -> IRIs, then normalised altLabels -> IRIs."""
        return {kind: [_index(terms, _own_names), _index(terms, _other_names)] for kind, terms in self._terms.items()}


def _index(terms: Mapping[str, Term], names_of: Callable[[Term], Iterator[str]]) -> dict[str, set[str]]:
    """Normalised name -> the terms that have it; those in use, if there are any."""
    found: dict[str, set[str]] = defaultdict(set)
    for iri, term in terms.items():
        for name in names_of(term):
            if key := _key(name):
                found[key].add(iri)
    return {key: {iri for iri in iris if not terms[iri].deprecated} or iris for key, iris in sorted(found.items())}


def _own_names(term: Term) -> Iterator[str]:
    yield local_name(term.iri)
    yield from (text for _, text in term.labels)


def _other_names(term: Term) -> Iterator[str]:
    yield from (text for _, text in term.alt_labels)


def _key(name: str) -> str:
    return _GAP.sub("", normalise_name(_CAMEL.sub(" ", name)))
