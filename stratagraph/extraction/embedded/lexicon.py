"""An ontology turned into what the embedded engine looks up: cue phrases of relations, and signs of a name's class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Literal

from stratagraph.extraction.embedded.clauses import BE
from stratagraph.extraction.tokens import FILLERS_BEFORE, FUNCTION_WORDS, Token, tokenise, word_set
from stratagraph.ontology.model import ClassExpression, Ontology, OntologyProperty

_GAP = "…"
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_MAX_GAP_TOKENS = 8
_MAX_INSERTED = 4
_MAX_NOUN = 4
_INSERTED = FILLERS_BEFORE | word_set("no longer not any never")


@dataclass(frozen=True)
class Cue:
    """A phrase that states a relation.

    Args:
        words: the phrase in lower case; None passes over a name.
        domain, range: of the property, or what a property above it or an inverse says of it.
        ends: the phrase says that the relation ended.
        bare: the phrase without its "is": only after a comma ("Acme, based in Oslo,").
    """

    words: tuple[str | None, ...]
    property: OntologyProperty
    domain: ClassExpression
    range: ClassExpression
    ends: bool
    bare: bool = False


@dataclass(frozen=True)
class Noun:
    """A noun that names a property: "director" of "the director of Alien is Ridley Scott".

    Args:
        inverse: the one who owns it is the object: "the CEO of Acme is Ann" for a property labelled "CEO of".
    """

    words: tuple[str, ...]
    property: OntologyProperty
    domain: ClassExpression
    range: ClassExpression
    inverse: bool


@dataclass(frozen=True)
class CueMatch:
    """A cue in a sentence, by token index; `end` is exclusive.

    Args:
        inserted: words that stand in it and are no part of it: "is *no longer* employed by".
    """

    cue: Cue
    start: int
    end: int
    inserted: tuple[str, ...] = ()


@dataclass
class Lexicon:
    """What extraction needs of one ontology."""

    ontology: Ontology
    cues: dict[str, list[Cue]] = field(default_factory=dict)
    nouns: dict[str, list[Noun]] = field(default_factory=dict)
    roles: set[str] = field(default_factory=set)  # single words among the nouns of relations: director, CEO
    name_words: dict[str, str] = field(default_factory=dict)
    class_nouns: dict[str, set[str]] = field(default_factory=dict)
    common_words: frozenset[str] = frozenset()
    quoted_classes: list[str] = field(default_factory=list)
    noun_classes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, ontology: Ontology) -> Lexicon:
        lexicon = cls(ontology)
        for prop in ontology.properties.values():
            if prop.deprecated:
                continue
            ends_of = _expression(ontology, prop, "domain"), _expression(ontology, prop, "range")
            # A label such as "about" names the property, and says nothing between two names; an altLabel is given as a cue.
            labels = [text for _, text in prop.labels] or [prop.label]
            said = [text for text in labels if text.casefold() not in FUNCTION_WORDS] + [text for _, text in prop.alt_labels]
            for phrase in said:
                lexicon._add_noun(prop, ends_of, phrase)
                if prop.kind == "object" or _is_verbal(phrase):
                    lexicon._add_cue(prop, ends_of, phrase, ends=False)
            for _, phrase in prop.end_phrases:
                lexicon._add_cue(prop, ends_of, phrase, ends=True)
        for nouns in lexicon.nouns.values():
            nouns.sort(key=lambda noun: (-len(noun.words), noun.property.iri, noun.inverse))
        for cues in lexicon.cues.values():
            # Longest first; a phrase that passes over a name says more than its first word alone.
            cues.sort(key=lambda cue: (-len(cue.words), cue.bare, cue.property.iri, cue.ends))
        for known in ontology.classes.values():
            for _, word in known.name_words:
                lexicon.name_words.setdefault(word.casefold(), known.iri)
            for _, noun in known.labels + known.alt_labels:
                lexicon.class_nouns.setdefault(CAMEL.sub(" ", noun).casefold(), set()).add(known.iri)
            if known.quoted_names:
                lexicon.quoted_classes.append(known.iri)
            if known.common_nouns:
                lexicon.noun_classes.append(known.iri)
        lexicon.common_words = frozenset(
            word for cues in lexicon.cues.values() for cue in cues for word in cue.words if word is not None
        ) | frozenset(word for noun in lexicon.class_nouns for word in noun.split())
        return lexicon

    def _add_cue(
        self, prop: OntologyProperty, ends_of: tuple[ClassExpression, ClassExpression], phrase: str, *, ends: bool
    ) -> None:
        words: list[str | None] = []
        for index, part in enumerate(phrase.split(_GAP)):
            if index:
                words.append(None)
            words.extend(token.lower for token in tokenise(CAMEL.sub(" ", part)))
        if words and words[0] is not None and words[-1] is not None:
            cue = Cue(tuple(words), prop, *ends_of, ends)
            for first in sorted(BE) if words[0] in BE and len(words) > 1 else [words[0]]:
                self.cues.setdefault(first, []).append(cue)
            rest = [word for word in words[1:3] if word not in ("a", "an", "the")] + words[3:]
            if words[0] in BE and len(rest) > 1 and rest[0] is not None:
                self.cues.setdefault(rest[0], []).append(replace(cue, words=tuple(rest), bare=True))

    def _add_noun(self, prop: OntologyProperty, ends_of: tuple[ClassExpression, ClassExpression], phrase: str) -> None:
        said = [token.lower for token in tokenise(CAMEL.sub(" ", phrase))]
        inverse = prop.kind == "object" and len(said) > 1 and said[-1] == "of"
        noun = tuple(said[1 if said[:1] == ["has"] else 0 : -1 if inverse else None])
        if noun[:2] == ("number", "of"):
            noun = noun[2:]
        if noun and noun[0] not in FUNCTION_WORDS and noun[-1] not in FUNCTION_WORDS and len(noun) <= _MAX_NOUN:
            if prop.kind == "object" and len(noun) == 1:
                self.roles.add(noun[0])
            self.nouns.setdefault(noun[0], []).append(Noun(noun, prop, *ends_of, inverse))

    def find_nouns(self, text: str, tokens: list[Token]) -> list[tuple[Noun, int, int]]:
        """Nouns of properties in one sentence with their place in it, the longest at each; each property that is called so."""
        found: list[tuple[Noun, int, int]] = []
        for index, token in enumerate(tokens):
            ends = ((noun, _match(text, tokens, index, noun.words)) for noun in self.nouns.get(token.lower, ()))
            here = [(noun, token.start, tokens[end - 1].end) for noun, end in ends if end is not None]
            found += [each for each in here if len(each[0].words) == len(here[0][0].words)]
        return found

    def find_cues(self, text: str, tokens: list[Token]) -> list[CueMatch]:
        """Cues of one sentence from left to right, the longest at each place, none inside another."""
        found: list[CueMatch] = []
        index = 0
        while index < len(tokens):
            match = next(self._matches(text, tokens, index), None)
            if match:
                found.append(match)
                index = match.end
            else:
                index += 1
        return found

    def _matches(self, text: str, tokens: list[Token], start: int) -> Iterator[CueMatch]:
        for cue in self.cues.get(tokens[start].lower, ()):
            inserted = 0
            if cue.words[0] in BE and len(cue.words) > 1:
                following = tokens[start + 1 : start + 1 + _MAX_INSERTED]
                inserted = len(list(takewhile(lambda token: token.lower in _INSERTED, following)))
            for skip in dict.fromkeys((0, inserted)):
                end = _match(text, tokens, start, cue.words, skip)
                if end is not None:
                    yield CueMatch(cue, start, end, tuple(token.lower for token in tokens[start + 1 : start + 1 + skip]))
                    break

    def classes_for(self, classes: list[str], expression: ClassExpression) -> str | None:
        """The first of some classes that satisfies a domain or range."""
        return next((iri for iri in classes if self.ontology.satisfies(iri, expression)), None)

    def only_class(self, expression: ClassExpression) -> str | None:
        """The class that a domain or range comes down to, if it is a single one."""
        unions = [union for union in expression if len(union) == 1]
        named = {iri for union in unions for iri in union}
        lowest = [iri for iri in named if not any(other != iri and self.ontology.is_a(other, (iri,)) for other in named)]
        return lowest[0] if len(lowest) == 1 and self.ontology.satisfies(lowest[0], expression) else None


def _is_verbal(phrase: str) -> bool:
    """Whether a data property's phrase states it ("born on"); a noun ("birthday") does so only with "is" or the like."""
    said = [token.lower for token in tokenise(CAMEL.sub(" ", phrase))]
    return len(said) > 1 and (said[0] in BE or said[-1] in FUNCTION_WORDS) and said[-1] != "of"


def _expression(ontology: Ontology, prop: OntologyProperty, end: Literal["domain", "range"]) -> ClassExpression:
    """What is known of one end of a property: its own axioms, else those of the properties above it, else of an inverse."""
    own: ClassExpression = prop.domain if end == "domain" else prop.range
    if own:
        return own
    above = [ontology.properties[iri] for iri in sorted(prop.ancestors - {prop.iri}) if iri in ontology.properties]
    inherited = tuple(union for each in above for union in (each.domain if end == "domain" else each.range))
    if inherited:
        return inherited
    inverses = [ontology.properties[iri] for iri in sorted(prop.inverses) if iri in ontology.properties]
    return tuple(union for each in inverses for union in (each.range if end == "domain" else each.domain))


def _match(text: str, tokens: list[Token], start: int, words: tuple[str | None, ...], skip: int = 0) -> int | None:
    """Where a cue ends that begins at a token, or None; `skip` tokens after its first word are passed over."""
    index = start
    for position, word in enumerate(words):
        if word is None:
            following = words[position + 1 :]
            for step in range(1, _MAX_GAP_TOKENS + 1):
                end = _match(text, tokens, index + step, following)
                if end is not None and not set(text[tokens[index].start : tokens[index + step].start]) & set(",;:!?，；：。"):
                    return end
            return None
        if index >= len(tokens) or not (tokens[index].lower == word or (word in BE and tokens[index].lower in BE)):
            return None
        if index > start and words[position - 1] is not None and not _adjacent(text, tokens[index - 1], tokens[index]):
            return None
        index += 1 if position else 1 + skip
    return index


def _adjacent(text: str, left: Token, right: Token) -> bool:
    return text[left.end : right.start].strip(" \t\u00a0-") == ""
