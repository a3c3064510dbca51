"""Widens what a search found by the graph: the facts of the nodes it matched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stratagraph.search.engine import SearchEngine
from stratagraph.search.units import KINDS, Filter

MAX_NODES = 5
FACTS_PER_NODE = 10
# A fact reached through a node is worth this share of the node's score, and up to all of it if it speaks of the query.
REACHED_SHARE = 0.5


def expand(
    engine: SearchEngine, query: str, found: Sequence[tuple[int, float]], wanted: Filter, limit: int
) -> list[tuple[int, float]]:
    """What was found together with the facts of its best nodes, best first, each fact once.

    Half the places at most go to facts that only the graph found, so that many facts of one node don't push out the texts.
    """
    columns = engine.columns
    nodes = [(o, s) for o, s in found if columns.kind[o] == KINDS.index("node")][:MAX_NODES]
    if not nodes:
        return list(found)
    facts_only = Filter(wanted.point, ("fact",), wanted.datasets)
    believed = np.flatnonzero(columns.mask(facts_only))
    nearness = dict(zip(believed.tolist(), engine.vectors.cosines(query, believed).tolist(), strict=True))
    present = {int(columns.key[ordinal]) for ordinal, _ in found}
    reached: dict[int, tuple[int, float]] = {}
    for ordinal, score in nodes:
        node = columns.subject[ordinal]
        of_node = believed[(columns.subject[believed] == node) | (columns.object[believed] == node)].tolist()
        for fact in sorted(of_node, key=lambda fact: (-nearness[fact], fact))[:FACTS_PER_NODE]:
            value = score * (REACHED_SHARE + (1 - REACHED_SHARE) * max(0.0, nearness[fact]))
            key = int(columns.key[fact])
            if key not in present and (key not in reached or reached[key][1] < value):
                reached[key] = (fact, round(value, 6))
    best = sorted(reached.values(), key=lambda pair: (-pair[1], pair[0]))[: max(1, limit // 2)]
    kept = list(found)[: limit - len(best)]
    return sorted([*kept, *best], key=lambda pair: (-pair[1], pair[0]))
