"""Fits a model to annotated examples: regularised logistic regression by L-BFGS (scipy), deterministic, seconds.

Examples are incomplete: whoever annotates directors need not note the year. What is not annotated is therefore no full
counter-example (learning from positive and unlabelled data: Elkan and Noto, 2008): it counts less, and where models that have
not seen its subject agree that it holds, it is taken as true in part. Examples are told apart by their subjects, not by their
sentences, so that nothing is learned of a thing by name.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stratagraph.errors import ExtractionError
from stratagraph.extraction.embedded.learned import features
from stratagraph.extraction.embedded.learned.candidates import Sentence, comparable
from stratagraph.extraction.embedded.learned.examples import Example
from stratagraph.extraction.embedded.learned.features import Describer, Numbers
from stratagraph.extraction.embedded.learned.model import Model

_LOSS = 1.0  # weight of the examples against the regularisation
_UNLABELLED = 0.3
_FOLDS = 3
_PARTLY = 0.3  # a likelihood from which an unlabelled candidate is taken as true in part
_LABELLED = (0.3, 0.5)  # bounds of the share of what holds that is annotated
_SHARED = 2  # subjects that must share an alias
Matrix = npt.NDArray[np.float64]


def train(examples: Sequence[Example]) -> Model:
    """The model of some examples.

    Raises:
        ExtractionError: scipy is missing, or no example says a triple whose words stand in its text.
    """
    relations = tuple(sorted({triple.predicate for example in examples for triple in example.triples}))
    seen, aliases = _seen(examples), _aliases(examples)
    read = [(example, Sentence(example.text)) for example in examples]
    objects = _Objects(relations)
    subjects = _Subjects()
    for example, sentence in read:
        if sentence.words:
            objects.add(example, sentence, seen, aliases)
            subjects.add(example, sentence)
    if not any(np.any(row) for row in objects.labels) or not any(subjects.labels):
        raise ExtractionError(
            "no example says a triple whose subject and object stand in its text", where="extraction.examples",
            hint="copy subjects and objects from the text",
        )  # fmt: skip
    weights, bias, labelled = objects.fit()
    subject_weights, subject_bias = _fit(
        subjects.described, np.array(subjects.labels, np.float64)[:, None], np.ones((len(subjects.labels), 1))
    )
    return Model(
        relations=relations, objects=weights, object_bias=bias, subjects=subject_weights[:, 0],
        subject_bias=float(subject_bias[0]), labelled=labelled,
        seen={name: _counted(of) for name, of in sorted(seen.items())},
        aliases=dict(sorted(aliases.items())),
        remembered={
            comparable(e.text): [(t.subject, t.predicate, t.object) for t in e.triples] for e in examples if e.triples
        },
    )  # fmt: skip


def seen_as(seen: Mapping[str, Iterable[tuple[str, int]]], name: str) -> list[str]:
    """The relations in which examples have this object, once more where several do."""
    found = seen.get(comparable(name), ())
    return [relation for relation, _ in found] + [f"{relation} often" for relation, times in found if times >= 3]


def _counted(of: Mapping[str, set[str]]) -> list[tuple[str, int]]:
    return sorted((relation, len(subjects)) for relation, subjects in of.items() if subjects)


class _Objects:
    """The object candidates of all examples: what describes them, and for which relations they are right."""

    def __init__(self, relations: tuple[str, ...]) -> None:
        self.relations = relations
        self.described: list[Numbers] = []
        self.labels: list[list[bool]] = []
        self.annotated: list[list[bool]] = []  # whether the example says anything of the relation at all
        self.folds: list[int] = []

    def add(
        self, example: Example, sentence: Sentence, seen: Mapping[str, Mapping[str, set[str]]],
        aliases: Mapping[str, list[tuple[str, str]]],
    ) -> None:  # fmt: skip
        own = {comparable(triple.subject) for triple in example.triples}
        wanted: dict[str, set[str]] = defaultdict(set)
        for triple in example.triples:
            wanted[triple.predicate].add(comparable(triple.object))
        annotated = [relation in wanted for relation in self.relations]
        fold = zlib.crc32(min(own, default="").encode("utf-8", "replace")) % _FOLDS
        describer = Describer(sentence)
        for candidate in sentence.objects(aliases):
            name = comparable(candidate.name)
            # Without what the example's own subject says of it: a thing must not be known by having been seen before.
            others = {relation: subjects - own for relation, subjects in seen.get(name, {}).items()}
            self.described.append(describer.object(candidate, seen_as({name: _counted(others)}, candidate.name)))
            self.labels.append([name in wanted.get(relation, ()) for relation in self.relations])
            self.annotated.append(annotated)
            self.folds.append(fold)

    def fit(self) -> tuple[Any, Any, Any]:
        """Weights, biases, and the share of each relation's facts that is annotated."""
        labels, annotated, folds = np.array(self.labels, np.float64), np.array(self.annotated), np.array(self.folds)
        weight = np.where(annotated, 1.0, _UNLABELLED)
        unseen = np.full(labels.shape, -9.0)
        for fold in range(_FOLDS):
            inside = np.flatnonzero(folds != fold)
            outside = np.flatnonzero(folds == fold)
            if labels[inside].any() and len(outside):
                found, bias = _fit([self.described[k] for k in inside], labels[inside], weight[inside], iterations=40)
                unseen[outside] = _matrix([self.described[k] for k in outside]) @ found + bias
        likely = 1 / (1 + np.exp(-unseen))
        labelled = np.array([_mean(likely[labels[:, k] > 0, k]) for k in range(labels.shape[1])])
        partly = np.clip(likely / labelled, 0, 1)
        targets = np.where(annotated, labels, np.where(partly > _PARTLY, partly, 0.0))
        weights, bias = _fit(self.described, targets, weight)
        return weights, bias, labelled.astype(np.float32)


def _mean(likely: Matrix) -> float:
    return float(np.clip(likely.mean(), *_LABELLED)) if len(likely) >= 5 else float(np.mean(_LABELLED))


class _Subjects:
    """The subject candidates of all triples whose object and subject stand in the text."""

    def __init__(self) -> None:
        self.described: list[Numbers] = []
        self.labels: list[bool] = []

    def add(self, example: Example, sentence: Sentence) -> None:
        describer = Describer(sentence)
        for triple in example.triples:
            wanted = comparable(triple.object)
            obj = next((c for c in sentence.objects({}) if comparable(c.name) == wanted), None)
            if obj is None:
                continue
            right = [comparable(c.name) == comparable(triple.subject) for c in sentence.subjects]
            if any(right):
                for candidate, is_right in zip(sentence.subjects, right, strict=True):
                    if is_right or not (candidate.start < obj.end and obj.start < candidate.end):
                        self.described.append(describer.subject(candidate, triple.predicate, obj))
                        self.labels.append(is_right)


def _seen(examples: Sequence[Example]) -> dict[str, dict[str, set[str]]]:
    """Object -> relation -> subjects of which examples say it, all as compared."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for example in examples:
        for triple in example.triples:
            found[comparable(triple.object)][triple.predicate].add(comparable(triple.subject))
    return {name: dict(of) for name, of in found.items()}


def _aliases(examples: Sequence[Example]) -> dict[str, list[tuple[str, str]]]:
    """Words that stand for an object which examples call otherwise: 'American' for United States of America.

    Of the words in examples whose object does not stand in the text, those that say the most of it, if subjects share them.
    """
    often: Counter[str] = Counter()
    together: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    called: dict[tuple[str, str], set[str]] = defaultdict(set)
    for example in examples:
        sentence = Sentence(example.text)
        words = {sentence.span(start, end).casefold() for start, end in sentence.spans if end - start <= 3}
        standing = {comparable(candidate.name) for candidate in sentence.objects({})}
        often.update(words)
        for triple in example.triples:
            if comparable(triple.object) not in standing:
                called[triple.predicate, triple.object].add(triple.subject)
                for word in words:
                    together[word, triple.predicate, triple.object].add(triple.subject)
    best: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for (word, relation, name), subjects in together.items():
        if len(subjects) >= _SHARED:
            share = len(subjects) ** 2 / (often[word] * len(called[relation, name]))
            best[relation, name].append((-share, word))
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for (relation, name), words_ in sorted(best.items()):
        for share, word in sorted(words_, key=lambda pair: (pair[0], len(pair[1]), pair[1]))[:4]:
            if share < -0.05:
                found[word].append((name, relation))
    return dict(found)


def _fit(described: list[Numbers], labels: Matrix, weight: Matrix, iterations: int = 60) -> tuple[Any, Any]:
    """Logistic regression of all outputs at once: weights (features x outputs) and biases, float32."""
    optimize = _scipy().optimize
    matrix = _matrix(described)
    used = np.unique(matrix.indices)  # what never occurs has no weight
    matrix = matrix[:, used].tocsr()
    turned = matrix.T.tocsr()
    outputs = labels.shape[1]

    def loss(flat: Matrix) -> tuple[float, Matrix]:
        current = flat.reshape(len(used) + 1, outputs)
        scores = matrix @ current[:-1] + current[-1]
        error = _LOSS * weight * (1 / (1 + np.exp(-scores)) - labels)
        value = _LOSS * (weight * (np.logaddexp(0, scores) - labels * scores)).sum() + 0.5 * (current[:-1] ** 2).sum()
        slope = np.vstack([turned @ error + current[:-1], error.sum(axis=0, keepdims=True)])
        return float(value), slope.ravel()

    start = np.zeros((len(used) + 1, outputs))
    start[-1] = -4.0
    found = optimize.minimize(
        loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations, "maxcor": 6}
    ).x.reshape(start.shape)
    weights = np.zeros((features.SIZE, outputs), np.float32)
    weights[used] = found[:-1]
    return weights, found[-1].astype(np.float32)


def _matrix(described: list[Numbers]) -> Any:
    """Candidates x features, zeros and ones, sparse."""
    starts = np.cumsum([0, *(len(numbers) for numbers in described)])
    indices = np.concatenate(described)
    return _scipy().sparse.csr_matrix(
        (np.ones(len(indices), np.float32), indices, starts), shape=(len(described), features.SIZE)
    )


def _scipy() -> Any:
    try:
        import scipy.optimize
        import scipy.sparse
    except ImportError as error:
        raise ExtractionError(
            "learning from examples needs scipy", where="extraction.examples", hint="pip install 'stratagraph[learn]'"
        ) from error
    return scipy
