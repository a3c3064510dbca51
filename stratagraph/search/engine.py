"""Finds units: lexical and vector arms under one filter, fused, without duplicates, in a reproducible order.

Fusion is convex over normalised scores, because equal-weight reciprocal ranks let a weak arm spoil a strong one (measured
on LoCoMo: 76.9 to 71.7 recall at 10). Texts, citations and modes are the snapshot reader's business.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stratagraph.search.lexical import LexicalIndex
from stratagraph.search.units import KINDS, Filter, Integers, Mask, UnitColumns
from stratagraph.search.vectors import VectorIndex

# A text that shares no word with the query must be at least this near to it to be found at all.
MIN_COSINE = 0.25
# The nearest text counts as fully near only from here on; below, the vector arm speaks more quietly.
FULL_COSINE = 0.6
# A report repeats facts that are found themselves; of two equal matches the fact comes first.
REPORT_SHARE = 0.8
LEXICAL_FOLDER, VECTOR_FILE = "lexical", "vectors.npy"


@dataclass(frozen=True)
class Weights:
    """Share of each arm in the fused score."""

    lexical: float = 0.7
    vector: float = 0.3


HYBRID, LEXICAL, VECTOR = Weights(), Weights(1.0, 0.0), Weights(0.0, 1.0)


class SearchEngine:
    """The two arms of one index and the columns they are filtered by."""

    def __init__(self, columns: UnitColumns, lexical: LexicalIndex, vectors: VectorIndex) -> None:
        self.columns = columns
        self.lexical = lexical
        self.vectors = vectors

    def search(self, query: str, wanted: Filter, limit: int, weights: Weights = HYBRID) -> list[tuple[int, float]]:
        """Ordinals and scores (0 to 1) of the best units, best first; equal scores are ordered by ordinal."""
        if not query.strip() or wanted.selects_nothing or not len(self.columns):
            return []
        mask = self.columns.mask(wanted)
        nearness, reachable = self._nearness(query, mask) if weights.vector else _nothing(len(self.columns))
        depth = max(200, 5 * limit)
        while True:
            fused = weights.vector * nearness
            candidates, exhausted = _deepest(nearness, reachable, depth)
            if weights.lexical:
                found, scores = self.lexical.search(query, wanted, depth)
                exhausted &= len(found) < depth
                ordinals, values = np.asarray(found, dtype=np.int64), np.asarray(scores)
                ordinals, values = ordinals[mask[ordinals]], values[mask[ordinals]]
                fused[ordinals] += weights.lexical * values / values.max(initial=1e-9)
                candidates[ordinals] = True
            fused[self.columns.kind == KINDS.index("community")] *= REPORT_SHARE
            self._fold(mask, candidates, fused)
            distinct = self._distinct(np.flatnonzero(candidates), fused)
            if len(distinct) >= limit or exhausted:
                return distinct[:limit]
            depth *= 4

    def _nearness(self, query: str, mask: Mask) -> tuple[NDArray[np.float64], Mask]:
        """Min-max normalised cosines by ordinal, and which units are near enough to be found by them alone."""
        nearness, reachable = _nothing(len(self.columns))
        ordinals = np.flatnonzero(mask)
        if len(ordinals):
            cosines = self.vectors.cosines(query, ordinals).astype(np.float64)
            # Among few units the farthest may still be near, and the nearest far: zero and FULL_COSINE are always in range.
            low, high = min(float(cosines.min()), 0.0), max(float(cosines.max()), FULL_COSINE)
            nearness[ordinals] = np.clip((cosines - low) / (high - low), 0.0, 1.0)
            reachable[ordinals] = cosines >= MIN_COSINE
        return nearness, reachable

    def _fold(self, mask: Mask, candidates: Mask, fused: NDArray[np.float64]) -> None:
        """Put asserted facts, with the better score, in place of inferred ones that say the same in other words."""
        repeating, repeated = self.columns.repeats(mask)
        found = candidates[repeating]
        np.maximum.at(fused, repeated[found], fused[repeating[found]])
        candidates[repeated[found]] = True
        candidates[repeating] = False

    def _distinct(self, ordinals: Integers, fused: NDArray[np.float64]) -> list[tuple[int, float]]:
        """Best first, one unit per key."""
        scores = np.round(fused[ordinals], 6)
        order = np.lexsort((ordinals, -scores))
        ordinals, scores = ordinals[order], scores[order]
        first = np.sort(np.unique(self.columns.key[ordinals], return_index=True)[1])
        return [(int(ordinals[i]), float(scores[i])) for i in first]


def _nothing(size: int) -> tuple[NDArray[np.float64], Mask]:
    return np.zeros(size), np.zeros(size, dtype=np.bool_)


def _deepest(nearness: NDArray[np.float64], reachable: Mask, depth: int) -> tuple[Mask, bool]:
    """The `depth` nearest reachable units, and whether those are all."""
    ordinals = np.flatnonzero(reachable)
    if len(ordinals) <= depth:
        return reachable.copy(), True
    chosen = np.zeros_like(reachable)
    chosen[ordinals[np.argsort(-nearness[ordinals], kind="stable")[:depth]]] = True
    return chosen, False
