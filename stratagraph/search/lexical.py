"""The lexical arm: a tantivy index over our own terms, with the filters inside the query.

Terms come from `analysis`; tantivy's query parser is never used, so no query text can be a syntax error. Each kind of
unit has its own field, so that short labels and long texts have term statistics and average lengths of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tantivy
from tantivy import FieldType, Occur, Query

from stratagraph.errors import SnapshotError
from stratagraph.search.analysis import document_terms, query_terms
from stratagraph.search.units import KINDS, Filter

MIN_TIME, MAX_TIME = -(2**63), 2**63 - 1
MAX_QUERY_TERMS = 128
TIMES = ("valid_from", "valid_to", "recorded_from", "recorded_to")
# How often the terms of a unit and its neighbours stand in its field: BM25 then saturates over their sum, which a
# boosted field per neighbour would not do. Order: previous, the one before, next, the one after.
OWN_WEIGHT = 3
NEIGHBOUR_WEIGHTS = (2, 1, 1, 1)
_HEAP_BYTES = 256_000_000


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for kind in KINDS:
        builder.add_text_field(kind, stored=False, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("dataset", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("ordinal", stored=False, indexed=True, fast=True)
    for name in TIMES:
        builder.add_integer_field(name, stored=False, indexed=True, fast=True)
    return builder.build()


def weighted_terms(own: tuple[list[str], list[str]], neighbours: Iterable[list[str] | None]) -> str:
    """The content of a unit's field: its own terms, its stop words once, and its neighbours' terms."""
    words, stops = own
    parts = words * OWN_WEIGHT + stops
    for weight, terms in zip(NEIGHBOUR_WEIGHTS, neighbours, strict=True):
        if terms:
            parts += terms * weight
    return " ".join(parts)


def write_lexical(
    folder: Path,
    kinds: Sequence[str],
    datasets: Sequence[str],
    texts: Sequence[str],
    neighbours: Sequence[Sequence[int]],
    times: Sequence[Sequence[int]],
) -> int:
    """Write an index into an empty folder and return the number of documents; ordinals are the positions.

    Analysing text is computation per text, which is why this is a loop and not SQL.
    """
    folder.mkdir(parents=True)
    writer = tantivy.Index(_schema(), path=str(folder)).writer(heap_size=_HEAP_BYTES, num_threads=1)
    analysed = [document_terms(text) for text in texts]
    for ordinal, kind in enumerate(kinds):
        around = [analysed[i][0] if i >= 0 else None for i in neighbours[ordinal]]
        fields = {kind: weighted_terms(analysed[ordinal], around), "dataset": datasets[ordinal], "ordinal": ordinal}
        writer.add_document(tantivy.Document(**fields, **dict(zip(TIMES, times[ordinal], strict=True))))
    writer.commit()
    writer.wait_merging_threads()
    return len(kinds)


@contextmanager
def _whole(folder: Path) -> Iterator[None]:
    """One error for an index that cannot be read, whatever tantivy makes of it: it raises ValueError, or panics."""
    try:
        yield
    except BaseException as error:
        # The panic's class has no module to import it from, and is no Exception.
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
            raise
        raise SnapshotError(
            f"the lexical index cannot be read: {error}", where=str(folder), hint="`stratagraph snapshot verify`, publish again"
        ) from error


class LexicalIndex:
    """A written index, opened for reading."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with _whole(folder):
            self._index = tantivy.Index.open(str(folder))
            self._schema = self._index.schema
            self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(self, text: str, wanted: Filter, limit: int) -> tuple[list[int], list[float]]:
        """Ordinals and BM25 scores of the best units that a filter selects, best first, ties by ordinal."""
        kinds = KINDS if wanted.kinds is None else [kind for kind in KINDS if kind in wanted.kinds]
        with _whole(self._folder):
            terms = self._best_terms(Counter(query_terms(text)), kinds)
            if not terms or not kinds or wanted.selects_nothing:
                return [], []
            return self._search(terms, kinds, wanted, limit)

    def _search(
        self, terms: list[tuple[str, int]], kinds: Sequence[str], wanted: Filter, limit: int
    ) -> tuple[list[int], list[float]]:
        clauses = [(Occur.Must, Query.boolean_query([(Occur.Should, self._term(k, t, n)) for k in kinds for t, n in terms]))]
        clauses += [(Occur.Must, Query.const_score_query(query, 0.0)) for query in self._filters(wanted)]
        hits = self._searcher.search(Query.boolean_query(clauses), limit, count=False).hits
        values = self._searcher.fast_field_values("ordinal", [address for _, address in hits]) if hits else []
        scored = [(float(score), int(value or 0)) for (score, _), value in zip(hits, values, strict=True)]
        ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1]))
        return [ordinal for _, ordinal in ranked], [score for score, _ in ranked]

    def _best_terms(self, counts: Counter[str], kinds: Sequence[str]) -> list[tuple[str, int]]:
        """The rarest terms that occur at all; a pasted document has more terms than are worth asking for."""
        found = []
        for term, count in counts.items():
            frequency = sum(self._searcher.doc_freq(kind, term) for kind in kinds)
            if frequency:
                found.append((frequency, term, min(count, 3)))
        return [(term, count) for _, term, count in sorted(found)[:MAX_QUERY_TERMS]]

    def _term(self, kind: str, term: str, count: int) -> Query:
        query = Query.term_query(self._schema, kind, term, index_option="freq")
        return query if count == 1 else Query.boost_query(query, float(count))

    def _filters(self, wanted: Filter) -> list[Query]:
        filters = []
        point = wanted.point
        for axis, first, last in (("valid", point.valid, point.last_valid), ("recorded", point.known, point.known)):
            if first is not None and last is not None:
                filters.append(self._range(f"{axis}_from", MIN_TIME, last))
                filters.append(self._range(f"{axis}_to", min(first, MAX_TIME - 1) + 1, MAX_TIME))
        if wanted.datasets is not None:
            names = [(Occur.Should, Query.term_query(self._schema, "dataset", name)) for name in wanted.datasets]
            filters.append(Query.boolean_query(names))
        return filters

    def _range(self, field: str, low: int, high: int) -> Query:
        return Query.range_query(self._schema, field, FieldType.Integer, low, high)
