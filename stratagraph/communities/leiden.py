"""Divides a graph of numbered nodes into a hierarchy of communities with igraph's Leiden (modularity).

Pure computation on integer arrays: what a node is, and what is stored, is `run`'s business. Every node is in exactly one
leaf; nodes without a link are grouped by their class. The same arrays and settings give the same hierarchy.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import igraph
import numpy as np
from numpy.typing import NDArray

ITERATIONS = 10  # a bound, so that it ends; modularity changes in the fourth digit after two

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """How to divide; see the config section `communities`."""

    resolution: float
    max_size: int
    max_levels: int
    seed: int


@dataclass(frozen=True)
class Community:
    """One community: its number, level, parent's number (None at level 0) and members in ascending order."""

    number: int
    level: int
    parent: int | None
    members: Integers


def divide(classes: Integers, links: Integers, weights: NDArray[np.float64], settings: Settings) -> list[Community]:
    """All communities of all levels.

    Args:
        classes: a number per node; its position is the node's number.
        links: pairs of different nodes, each pair once, in order.
        weights: one per link.
        settings: how to divide.
    """
    graph = igraph.Graph(n=len(classes), edges=links.tolist())
    graph.es["weight"] = weights.tolist()
    linked = np.asarray(graph.degree(), dtype=np.int64) > 0
    found: list[Community] = []

    def add(groups: Iterator[Integers], level: int, parent: int | None) -> list[Community]:
        added = [Community(len(found) + i, level, parent, members) for i, members in enumerate(groups)]
        found.extend(added)
        return added

    waiting = add(_split(graph, np.flatnonzero(linked), settings), 0, None)
    add(_groups(np.flatnonzero(~linked), classes[~linked]), 0, None)
    while waiting:
        community = waiting.pop(0)
        if len(community.members) > settings.max_size and community.level + 1 < settings.max_levels:
            parts = list(_split(graph, community.members, settings))
            if len(parts) > 1:
                waiting += add(iter(parts), community.level + 1, community.number)
    return found


def _split(graph: Any, members: Integers, settings: Settings) -> Iterator[Integers]:
    """Communities among some nodes. Seeded anew each time, so that a part's outcome depends on the part alone."""
    if not len(members):
        return iter(())
    part = graph.induced_subgraph(members.tolist())
    igraph.set_random_number_generator(random.Random(settings.seed))
    try:
        membership = part.community_leiden(
            objective_function="modularity",
            weights="weight",
            resolution=settings.resolution,
            n_iterations=ITERATIONS,
        ).membership
    finally:
        igraph.set_random_number_generator(random)
    return _groups(members, np.asarray(membership, dtype=np.int64))


def _groups(members: Integers, labels: Integers) -> Iterator[Integers]:
    """Members by label; groups in order of their first member."""
    if not len(members):
        return iter(())
    order = np.lexsort((members, labels))
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return iter(sorted(np.split(members[order], cuts), key=lambda group: int(group[0])))
