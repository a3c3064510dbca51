"""Reads a sentence with a model: which relations it states, of which subject, with what confidence.

What the sentence denies or supposes is seen in `statements.py`, and whether a relation may hold is checked
afterwards for every engine alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stratagraph.extraction.embedded.learned.candidates import Candidate, Sentence, comparable
from stratagraph.extraction.embedded.learned.features import Describer
from stratagraph.extraction.embedded.learned.model import Model, Weights
from stratagraph.extraction.embedded.learned.training import seen_as

_MOST = 5  # objects of one relation in one sentence
_COMMAS = frozenset((",", "and", "&", "、", "和", "与"))
_LIST = _COMMAS | frozenset(["the", "or", "of", "de"])
_MEMBER = 2.0  # log-odds by which a further member of a list may fall short
_SURE = 0.8  # a subject as likely as this is believed although the document is about something else


@dataclass(frozen=True)
class Mention:
    """A name and the words that stand for it, as offsets into the sentence."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Stated:
    """A relation that a sentence states."""

    subject: Mention
    predicate: str
    object: Mention
    confidence: float


@dataclass(frozen=True)
class Reader:
    """A model with its settings.

    Args:
        min_confidence: of a statement.
        always: every sentence states something: the likeliest is taken where none is as likely as that.
    """

    model: Model
    min_confidence: float = 0.5
    always: bool = False

    def read(self, text: str, topic: str | None = None) -> list[Stated]:
        """The relations a sentence states.

        Args:
            topic: what its document is about, if that is known.
        """
        sentence = Sentence(text)
        objects = sentence.objects(self.model.aliases)
        if not objects:
            return []
        remembered = self.model.remembered.get(comparable(text), [])
        found = {(s, p, o): Stated(_standing(sentence, s), p, _standing(sentence, o), 1.0) for s, p, o in remembered}
        subjects = {subject for subject, _, _ in remembered}
        about = subjects.pop() if len(subjects) == 1 else None
        describer = Describer(sentence)
        scores = self.model.object_scores([describer.object(c, seen_as(self.model.seen, c.name)) for c in objects])
        likely = np.minimum(1 / (1 + np.exp(-scores)) / self.model.labelled, 1.0)
        for index, output in self._chosen(sentence, objects, scores, likely):
            predicate = self.model.relations[output]
            subject, sure = self._subject(
                sentence, describer, predicate, objects[index], about or topic, told=about is not None
            )
            confidence = float(likely[index, output]) * sure
            if subject is not None and (confidence >= self.min_confidence or self.always):
                obj = Mention(objects[index].name, *sentence.place(objects[index]))
                found.setdefault((subject.name, predicate, obj.name), Stated(subject, predicate, obj, confidence))
        return list(found.values())

    def _chosen(self, sentence: Sentence, objects: list[Candidate], scores: Weights, likely: Weights) -> list[tuple[int, int]]:
        """(object, relation) that hold: of each relation the likeliest that do not overlap, and what is listed with them."""
        chosen: list[tuple[int, int]] = []
        for output in range(scores.shape[1]):
            taken: list[int] = []
            for index in map(int, np.argsort(-scores[:, output], kind="stable")[:30]):
                if len(taken) == _MOST or scores[index, output] < -5:
                    break
                if any(_overlap(objects[index], objects[other]) for other in taken):
                    continue
                held = likely[index, output]
                listed = any(_listed(sentence, objects[index], objects[other]) for other in taken)
                if held * (np.exp(_MEMBER) if listed else 1.0) >= self.min_confidence:
                    taken.append(index)
            chosen += [(index, output) for index in taken]
        if not chosen and self.always:
            best = int(np.argmax(scores))
            chosen = [divmod(best, scores.shape[1])]
        return chosen

    def _subject(
        self, sentence: Sentence, describer: Describer, predicate: str, obj: Candidate, topic: str | None, *, told: bool
    ) -> tuple[Mention | None, float]:
        """What the relation is said of, and how sure that is."""
        candidates = [c for c in sentence.subjects if not _overlap(c, obj)]
        best: Candidate | None = None
        sure = 0.0
        if candidates:
            scores = self.model.subject_scores([describer.subject(c, predicate, obj) for c in candidates])
            index = int(np.argmax(scores))
            best, sure = candidates[index], float(1 / (1 + np.exp(-scores[index])))
        if topic is not None and (told or best is None or sure < _SURE or _shares_word(best.name, topic)):
            place = sentence.place(best) if best is not None and _shares_word(best.name, topic) else _opening(sentence)
            return Mention(topic, *place), 1.0
        return (Mention(best.name, *sentence.place(best)), sure) if best is not None else (None, 0.0)


def _overlap(one: Candidate, other: Candidate) -> bool:
    return one.start < other.end and other.start < one.end


def _listed(sentence: Sentence, one: Candidate, other: Candidate) -> bool:
    """Whether two spans are members of one list: only names, commas and 'and' stand between them."""
    low, high = (one.end, other.start) if one.end <= other.start else (other.end, one.start)
    between = range(low, high)
    return (
        high - low < 15
        and any(sentence.lower[k] in _COMMAS for k in between)
        and all(sentence.heads[k] or sentence.lower[k] in _LIST for k in between)
    )


def _shares_word(name: str, topic: str) -> bool:
    words = {word for word in topic.casefold().split() if len(word) > 2}
    return comparable(name) in comparable(topic) or bool(words & set(name.casefold().split()))


def _standing(sentence: Sentence, name: str) -> Mention:
    """Where a name stands; if not as such, the words that open the sentence stand for it."""
    wanted = comparable(name)
    for candidate in (*sentence.subjects, *sentence.objects({})):
        if comparable(candidate.name) == wanted:
            return Mention(name, *sentence.place(candidate))
    return Mention(name, *_opening(sentence))


def _opening(sentence: Sentence) -> tuple[int, int]:
    """Offsets of the sentence's first word, with its noun after an article: 'It', 'The film'."""
    first = next((index for index, word in enumerate(sentence.words) if word[0].isalnum()), 0)
    last = first + 1 if sentence.lower[first] in ("the", "this") and first + 1 < len(sentence.words) else first
    return sentence.tokens[first][0], sentence.tokens[last][1]
