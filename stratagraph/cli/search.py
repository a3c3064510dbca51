"""`stratagraph search` and `stratagraph recall`: questions to a snapshot in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stratagraph.cli.opened import opened
from stratagraph.cli.options import reading_options
from stratagraph.cli.output import err, out, period, print_json, short_time, table

if TYPE_CHECKING:
    from stratagraph.snapshot.model import Hit

_KINDS = ("chunk", "fact", "node", "community")
_MOST = 1000  # what the reader allows


@click.command("search")
@click.argument("query")
@click.option("--mode", default="auto", show_default=True, help="How to search; auto chooses.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Only hits of this kind; may stand several times."
)
@click.option("--dataset", "datasets", multiple=True, help="Only this dataset; may stand several times.")
@reading_options(limit=10, most=_MOST)
def search(
    query: str, mode: str, kinds: tuple[str, ...], datasets: tuple[str, ...], path: Path | None, valid_at: str | None,
    known_at: str | None, limit: int, as_json: bool,
) -> None:  # fmt: skip
    """Find chunks, facts, entities and communities.

    \b
    Examples:
      stratagraph search "who works for Acme"
      stratagraph search "president" --valid-at 1970-01-01 --kind fact --json
    """
    with opened(path) as snapshot:
        hits = snapshot.search(
            query,
            mode,
            valid_at=valid_at,
            known_at=known_at,
            limit=limit,
            kinds=list(kinds) or None,
            datasets=list(datasets) or None,
        )
    if as_json:
        print_json([hit.as_dict() for hit in hits])
        return
    rows = [(hit.kind, hit.text, period(hit.as_dict()), f"{hit.score:.3f}", hit.source, hit.id) for hit in hits]
    _print(("kind", "text", "valid", "score", "source", "id"), rows)


@click.command("recall")
@click.argument("query")
@reading_options(limit=10, most=_MOST)
def recall(query: str, path: Path | None, valid_at: str | None, known_at: str | None, limit: int, as_json: bool) -> None:
    """What is known about something: believed facts and texts, with validity and the place each was said.

    Without --valid-at, a period that the question names ("in 1973", "in June 2019") is the time of the facts.

    \b
    Examples:
      stratagraph recall "Spiro Agnew" --valid-at 1973-06-01
      stratagraph recall "Spiro Agnew" --valid-at 1973-06-01 --known-at 2013-03-16T14:50:00Z
    """
    with opened(path) as snapshot:
        result = snapshot.recall(query, valid_at=valid_at, known_at=known_at, limit=limit)
    if as_json:
        print_json(result.as_dict())
        return
    err().print(f"valid at {short_time(result.valid_at)}, known at {short_time(result.known_at)}", markup=False)
    rows = [(hit.kind, hit.text, period(hit.as_dict()), short_time(hit.recorded_from), _said(hit)) for hit in result.hits]
    _print(("kind", "what", "valid", "known since", "said in"), rows)


def _print(columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        out().print(table(columns, rows))
    else:
        err().print("Nothing found. Another time? See --valid-at and --known-at ('any' looks everywhere).")


def _said(hit: Hit) -> str:
    """Where a hit was said; at most three places."""
    places = [_place(citation) for citation in hit.citations]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return "; ".join(places[:3]) + more or hit.source


def _place(citation: Mapping[str, Any]) -> str:
    if citation.get("document_id"):
        quote = f" “{citation['quote']}”" if citation.get("quote") else ""
        return f"{citation['document_id']} [{citation.get('char_start')}–{citation.get('char_end')}]{quote}"
    if citation.get("source_table"):
        return f"{citation['source_table']} {citation.get('source_key') or ''}".rstrip()
    return str(citation.get("edge_id") or "")
