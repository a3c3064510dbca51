"""Ranks an ontology's terms by how much a text has to do with them: the part of a large ontology that a prompt should show.

A word of a name is worth as much as the nearest word of the text is near to it: 1 where the stems agree (or the characters, in
scripts without spaces), else the cosine of their embeddings. What a term means counts too. A class gains from the properties
that the text speaks of, and a property from the classes that may have it. Nothing here knows a prompt or a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stratagraph.extraction.embedded.lexicon import CAMEL
from stratagraph.extraction.tokens import sentences, tokenise
from stratagraph.ontology.model import ClassExpression, Ontology, OntologyClass, OntologyProperty
from stratagraph.search.analysis import document_terms
from stratagraph.search.vectors import Floats, embed

Term = OntologyClass | OntologyProperty
Rows = NDArray[np.int64]

End = Literal["domain", "range"]
_BOTH_ENDS: tuple[End, End] = ("domain", "range")

_DIMENSIONS = 128
_TEXT, _WORD, _SENTENCES, _COMMENT = 20_000, 64, 50, 200  # the most that is read: characters, or sentences
_CENTRAL = 6  # classes that most properties speak of (people, places, …) come first: a text has them without saying so
# Weights, chosen on texts about schema.org and checked on others; the outcome changes little around them.
_NEAR = 0.45  # two words whose cosine is less have nothing to do with each other
_MEANING = 0.7  # of what a term means, beside what it is called
_SPOKEN_OF = 0.5  # a property with a score above this speaks for its classes,
_EVIDENCE = 1.5  # this much,
_DILUTED = 0.25  # less for a class that has many (an exponent)
_STEP_UP = 0.8  # a property loses this for each class between the one the text is about and the one that declares it
_OF_ITSELF, _OF_CLASS, _CLASS = 0.3, 1.2, 1.3  # a property without its class, the class alone, a class beside properties


@dataclass(frozen=True, eq=False)
class TermIndex:
    """What ranking needs of an ontology, made once.

    Args:
        ontology: says which classes are above a class.
        classes, properties: the terms that may be shown.
    """

    ontology: Ontology
    classes: Sequence[OntologyClass]
    properties: Sequence[OntologyProperty]

    def rank(self, text: str) -> Iterator[Term]:
        """All terms, the most relevant first; a class without which a property cannot be used comes before it."""
        called, in_full = self._words_score(text[:_TEXT])
        scores, count = called + _MEANING * self._meaning_score(text[:_TEXT]), len(self.classes)
        classes, properties = scores[:count], scores[count:]
        classes = classes + _EVIDENCE * self._evidence(properties)
        fit, best = self._fit(classes)
        properties = properties * (_OF_ITSELF + fit) + _OF_CLASS * fit
        named = [self.classes[number] for number in np.flatnonzero(in_full[:count]).tolist()]
        return self._usable([*self._central, *named], _CLASS * classes / best, properties)

    @cached_property
    def _terms(self) -> list[Term]:
        return [*self.classes, *self.properties]

    # Words and meaning

    @cached_property
    def _names(self) -> tuple[Rows, Rows, Rows]:
        """For every word of every name, the word and the name; for every name, its term. By number."""
        words: list[int] = []
        names: list[int] = []
        terms: list[int] = []
        for number, term in enumerate(self._terms):
            for name in names_of(term):
                stems = dict.fromkeys(document_terms(as_words(name))[0])
                words += [self._word[stem] for stem in stems]
                names += [len(terms)] * len(stems)
                terms.append(number)
        return np.array(words, np.int64), np.array(names, np.int64), np.array(terms, np.int64)

    @cached_property
    def _words(self) -> dict[str, str]:
        return _words(name for term in self._terms for name in names_of(term))

    @cached_property
    def _word(self) -> dict[str, int]:
        return {stem: number for number, stem in enumerate(self._words)}

    @cached_property
    def _word_vectors(self) -> Floats:
        return embed(list(self._words.values()), _DIMENSIONS)

    @cached_property
    def _weights(self) -> Floats:
        """How rare each word is among the names."""
        words, _, terms = self._names
        counts = np.bincount(words, minlength=len(self._word))
        return np.log(1 + len(terms) / np.maximum(counts, 1)).astype(np.float32)

    def _words_score(self, text: str) -> tuple[Floats, Floats]:
        """The best of a term's names: the weight of its words that are in the text, over that of all its words and 1; and 1 for
        a term with a name of which all words are in the text."""
        best, in_full = np.zeros((2, len(self._terms)), np.float32)
        said = _words([text])
        if not said or not self._words:
            return best, in_full
        near = (self._word_vectors @ embed(list(said.values()), _DIMENSIONS).T).max(axis=1)
        near[near < _NEAR] = 0
        near[[self._word[stem] for stem in said if stem in self._word]] = 1
        words, names, terms = self._names
        weights = self._weights[words]
        found, whole = (np.bincount(names, part, len(terms)).astype(np.float32) for part in (weights * near[words], weights))
        np.maximum.at(best, terms, found / (whole + 1))
        missing = np.bincount(names, near[words] < 1, len(terms))
        in_full[terms[(missing == 0) & (whole > 0)]] = 1
        return best, in_full

    @cached_property
    def _meanings(self) -> Floats:
        return embed([_description(term) for term in self._terms], _DIMENSIONS)

    def _meaning_score(self, text: str) -> Floats:
        """Cosine of a term's description to the sentence that is nearest."""
        parts = [text[start:end] for start, end in sentences(text)[:_SENTENCES]]
        if not parts or not self._terms:
            return np.zeros(len(self._terms), np.float32)
        nearest: Floats = (self._meanings @ embed(parts, _DIMENSIONS).T).max(axis=1)
        return np.maximum(nearest, np.float32(0))

    # What classes and properties say of each other

    @cached_property
    def _number(self) -> dict[str, int]:
        return {cls.iri: number for number, cls in enumerate(self.classes)}

    def _ends(self, end: End) -> tuple[Rows, Rows]:
        """Pairs of a property and a class that stands in its domain or range."""
        pairs = [
            (number, self._number[iri])
            for number, prop in enumerate(self.properties)
            for union in getattr(prop, end)
            for iri in sorted(union)
            if iri in self._number
        ]
        table = np.array(pairs, np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @cached_property
    def _domains(self) -> tuple[Rows, Rows]:
        return self._ends("domain")

    @cached_property
    def _above(self) -> tuple[Rows, Rows, Floats]:
        """Pairs of a class and one above it (or itself), and what is lost from one to the other."""
        pairs = [
            (self._number[cls.iri], self._number[above], len(cls.ancestors) - len(self.ontology.classes[above].ancestors))
            for cls in self.classes
            for above in sorted(cls.ancestors)
            if above in self._number
        ]
        table = np.array(pairs, np.int64).reshape(-1, 3)
        return table[:, 0], table[:, 1], np.power(np.float32(_STEP_UP), np.maximum(table[:, 2], 0).astype(np.float32))

    @cached_property
    def _central(self) -> list[OntologyClass]:
        domain, range_ = (np.bincount(self._ends(end)[1], minlength=len(self.classes)) for end in _BOTH_ENDS)
        uses = domain + range_
        order = sorted(range(len(self.classes)), key=lambda number: (-int(uses[number]), self.classes[number].iri))
        return [self.classes[number] for number in order[:_CENTRAL]]

    def _evidence(self, properties: Floats) -> Floats:
        owned, owner = self._domains
        spoken = np.bincount(owner, np.maximum(properties[owned] - _SPOKEN_OF, 0), len(self.classes))
        many = np.maximum(np.bincount(owner, minlength=len(self.classes)), 4) ** _DILUTED
        return (spoken / many).astype(np.float32)

    def _fit(self, classes: Floats) -> tuple[Floats, np.float32]:
        """For each property, how relevant the best class is that may have it, 0 to 1; and the score that stands for 1."""
        below, above, loss = self._above
        reach, fit = np.zeros(len(self.classes), np.float32), np.zeros(len(self.properties), np.float32)
        np.maximum.at(reach, above, classes[below] * loss)
        owned, owner = self._domains
        np.maximum.at(fit, owned, reach[owner])
        best = reach.max(initial=0) or np.float32(1)
        return fit / best, best

    def _usable(self, first: list[OntologyClass], classes: Floats, properties: Floats) -> Iterator[Term]:
        order = np.argsort(-np.concatenate((classes, properties)).round(5), kind="stable")
        seen: set[str] = set()
        covered: set[str] = set()  # classes that have a member among those of `seen`
        for term in (*first, *(self._terms[number] for number in order.tolist())):
            needed = []
            if isinstance(term, OntologyProperty):
                needed = self._missing((*term.domain, *term.range), covered, classes)
            for each in (*needed, term):
                if each.iri not in seen:
                    seen.add(each.iri)
                    covered.update(each.ancestors)
                    yield each

    def _missing(self, ends: ClassExpression, covered: set[str], classes: Floats) -> list[OntologyClass]:
        """Of each union that no class satisfies yet, the best class."""
        unions = [[self._number[iri] for iri in sorted(union) if iri in self._number] for union in ends if not union & covered]
        return [self.classes[max(union, key=lambda number: float(classes[number]))] for union in unions if union]


def names_of(term: Term) -> list[str]:
    """Everything a term is called."""
    return list(dict.fromkeys(text for _, text in (*term.labels, *term.alt_labels))) or [term.label]


def as_words(name: str) -> str:
    """A name such as `worksFor` as words."""
    return CAMEL.sub(" ", name)


def _description(term: Term) -> str:
    comments = [text for language, text in term.comments if language in ("", "en")] or [text for _, text in term.comments]
    return " ".join([*(as_words(name) for name in names_of(term)[:5]), *comments])[:_COMMENT]


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return next(iter(document_terms(word)[0]), "")


def _words(texts: Iterable[str]) -> dict[str, str]:
    """Words that carry meaning, as stem -> as written; of scripts without spaces also pairs of characters."""
    found: dict[str, str] = {}
    for text in texts:
        spaced = as_words(text)
        for token in tokenise(spaced):
            found.setdefault(_stem(token.lower[:_WORD]), token.lower[:_WORD])
        for stem in document_terms(spaced)[0]:
            found.setdefault(stem, stem)
    found.pop("", None)
    return found
