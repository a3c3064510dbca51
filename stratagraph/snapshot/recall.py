"""Widens what a search found by the graph: the facts of the nodes it matched, at the time that is asked about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stratagraph.search.engine import SearchEngine
from stratagraph.search.units import KINDS, Filter, Point

MAX_NODES = 5
FACTS_PER_NODE = 10
# A fact reached through a node is worth this share of the node's score, and up to all of it if it speaks of the query.
REACHED_SHARE = 0.5


def recall(engine: SearchEngine, query: str, point: Point, during: Point | None, limit: int) -> list[tuple[int, float]]:
    """Ordinals and scores of what texts and graph know, best first.

    Args:
        point: the instant that is asked about, and what is believed.
        during: the period that facts are asked of, if it is another time.
    """
    if during is None:
        return expand(engine, query, engine.search(query, Filter(point), limit), Filter(point), limit)
    facts = engine.search(query, Filter(during, ("fact",)), limit)
    others = engine.search(query, Filter(point, tuple(kind for kind in KINDS if kind != "fact")), limit)
    return expand(engine, query, _best_first(facts + others)[:limit], Filter(during), limit)


def expand(
    engine: SearchEngine, query: str, found: Sequence[tuple[int, float]], wanted: Filter, limit: int
) -> list[tuple[int, float]]:
    """What was found together with the facts of its best nodes, best first, each fact once.

    Half the places at most go to facts that only the graph found, so that many facts of one node don't push out the texts.
    """
    columns = engine.columns
    nodes = [(ordinal, score) for ordinal, score in found if columns.kind[ordinal] == KINDS.index("node")][:MAX_NODES]
    if not nodes:
        return list(found)
    mask = columns.mask(Filter(wanted.point, ("fact",), wanted.datasets))
    mask[columns.repeats(mask)[0]] = False
    believed = np.flatnonzero(mask)
    nearness = dict(zip(believed.tolist(), engine.vectors.cosines(query, believed).tolist(), strict=True))
    reached: dict[int, float] = {}
    for ordinal, score in nodes:
        node = columns.subject[ordinal]
        of_node = believed[(columns.subject[believed] == node) | (columns.object[believed] == node)].tolist()
        for fact in sorted(of_node, key=lambda fact: (-nearness[fact], fact))[:FACTS_PER_NODE]:
            value = round(score * (REACHED_SHARE + (1 - REACHED_SHARE) * max(0.0, nearness[fact])), 6)
            reached[fact] = max(reached.get(fact, 0.0), value)
    # A fact that both found keeps its better score.
    kept = [(ordinal, max(score, reached.pop(ordinal, 0.0))) for ordinal, score in found]
    present = {int(columns.key[ordinal]) for ordinal, _ in kept}
    new = [pair for pair in reached.items() if int(columns.key[pair[0]]) not in present]
    best = _best_first(new)[: max(1, limit // 2)]
    return _best_first([*_best_first(kept)[: limit - len(best)], *best])


def _best_first(found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
