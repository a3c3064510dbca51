"""What an ontology says that tells things apart or makes them one: keys, and disjoint classes, as tables for SQL.

A key is owl:hasKey of a class, which its sub-classes inherit, or an inverse functional property. Nothing here knows a node.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pyarrow as pa

from stratagraph.ontology.model import Ontology

_KEYS = pa.schema({"class": pa.string(), "key_name": pa.string(), "property": pa.string(), "parts": pa.int64()}.items())
_PAIRS = pa.schema({"class": pa.string(), "other": pa.string()}.items())


def key_table(ontology: Ontology, classes: Iterable[str]) -> pa.Table:
    """The keys of members of the given classes: class, key_name (its properties), property, parts (how many those are)."""
    single = sorted(p.iri for p in ontology.properties.values() if p.inverse_functional)
    rows = []
    for iri in sorted(classes):
        known = ontology.classes.get(iri)
        above = [ontology.classes[a] for a in sorted(known.ancestors) if a in ontology.classes] if known else []
        keys = {(iri_of_key,) for iri_of_key in single} | {key for cls in above for key in cls.keys if key}
        for key in sorted(keys):
            rows += [{"class": iri, "key_name": " + ".join(key), "property": part, "parts": len(key)} for part in key]
    return pa.Table.from_pylist(rows, _KEYS)


def disjoint_table(ontology: Ontology, classes: Iterable[str]) -> pa.Table:
    """Which of the given classes have no member in common: class, other; in both directions."""
    pairs = [(a, b) for a, b in combinations(sorted(classes), 2) if ontology.disjoint(a, b)]
    rows = [{"class": a, "other": b} for one, other in pairs for a, b in ((one, other), (other, one))]
    return pa.Table.from_pylist(rows, _PAIRS)
