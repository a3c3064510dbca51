"""Turns found ordinals into hits: texts and times from `graph.units`, citations from the statements behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import duckdb

from stratagraph.snapshot.model import Hit
from stratagraph.sqlfiles import load_sql

MAX_CITATIONS = 5
Citations = dict[int, list[dict[str, Any]]]
_TEXT_PLACE = ("document_id", "chunk_id", "char_start", "char_end", "quote")


def read_hits(cursor: duckdb.DuckDBPyConnection, found: Sequence[tuple[int, float]], known_at: str | None) -> list[Hit]:
    """The hits of ordinals and scores, in the same order."""
    if not found:
        return []
    units = {row[0]: row[1:] for row in _select(cursor, "select_units", [ordinal for ordinal, _ in found])}
    reports = [ordinal for ordinal, _ in found if units[ordinal][0] == "community"]
    others = [ordinal for ordinal, _ in found if units[ordinal][0] != "community"]
    citations = _report_citations(cursor, reports) | _citations(cursor, others, known_at)
    return [
        Hit(
            kind=kind,
            id=id_,
            text=text,
            score=score,
            dataset=dataset,
            source=source,
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_from=recorded_from,
            recorded_to=recorded_to,
            citations=citations.get(ordinal, []),
        )
        for ordinal, score in found
        for kind, id_, text, dataset, source, valid_from, valid_to, recorded_from, recorded_to in [units[ordinal]]
    ]


def _citations(cursor: duckdb.DuckDBPyConnection, ordinals: list[int], known_at: str | None) -> Citations:
    citations: Citations = defaultdict(list)
    for ordinal, *place in _select(cursor, "select_citations", ordinals, known_at=known_at, limit=MAX_CITATIONS):
        *text_place, source_table, source_key = place
        if source_table is not None:
            citations[ordinal].append({"source_table": source_table, "source_key": source_key})
        else:
            citations[ordinal].append(dict(zip(_TEXT_PLACE, text_place, strict=True)))
    return citations


def _report_citations(cursor: duckdb.DuckDBPyConnection, ordinals: list[int]) -> Citations:
    citations: Citations = defaultdict(list)
    for ordinal, edge_id in _select(cursor, "select_report_citations", ordinals):
        citations[ordinal].append({"edge_id": edge_id})
    return citations


def _select(cursor: duckdb.DuckDBPyConnection, statement: str, ordinals: list[int], **parameters: Any) -> list[tuple[Any, ...]]:
    if not ordinals:
        return []
    # One text instead of a list: for each element of a list, duckdb looks for packages that are not installed.
    wanted = {"ordinals": ",".join(map(str, ordinals))}
    return cursor.execute(load_sql("snapshot", statement), wanted | parameters).fetchall()
