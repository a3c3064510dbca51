"""Turns found ordinals into hits: texts and times from `graph.units`, citations from the statements behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import duckdb

from stratagraph.snapshot.model import Hit
from stratagraph.sqlfiles import load_sql

MAX_CITATIONS = 5
_TEXT_PLACE = ("document_id", "chunk_id", "char_start", "char_end", "quote")


def read_hits(cursor: duckdb.DuckDBPyConnection, found: Sequence[tuple[int, float]], known_at: str | None) -> list[Hit]:
    """The hits of ordinals and scores, in the same order."""
    if not found:
        return []
    ordinals = [ordinal for ordinal, _ in found]
    units = {row[0]: row[1:] for row in cursor.execute(load_sql("snapshot", "select_units"), {"ordinals": ordinals}).fetchall()}
    citations = _citations(cursor, ordinals, known_at)
    return [
        Hit(
            kind=kind, id=id_, text=text, score=score, dataset=dataset, source=source, valid_from=valid_from, valid_to=valid_to,
            recorded_from=recorded_from, recorded_to=recorded_to, citations=citations[ordinal],
        )
        for ordinal, score in found
        for kind, id_, text, dataset, source, valid_from, valid_to, recorded_from, recorded_to in [units[ordinal]]
    ]  # fmt: skip


def _citations(
    cursor: duckdb.DuckDBPyConnection, ordinals: list[int], known_at: str | None
) -> defaultdict[int, list[dict[str, Any]]]:
    citations: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    parameters = {"ordinals": ordinals, "known_at": known_at, "limit": MAX_CITATIONS}
    for ordinal, *place in cursor.execute(load_sql("snapshot", "select_citations"), parameters).fetchall():
        *text_place, source_table, source_key = place
        if source_table is not None:
            citations[ordinal].append({"source_table": source_table, "source_key": source_key})
        else:
            citations[ordinal].append(dict(zip(_TEXT_PLACE, text_place, strict=True)))
    cited = cursor.execute(load_sql("snapshot", "select_report_citations"), {"ordinals": ordinals}).fetchall()
    for ordinal, edge_id in cited:
        citations[ordinal].append({"edge_id": edge_id})
    return citations
