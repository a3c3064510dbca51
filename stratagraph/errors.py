"""Errors that a person reads: what happened, where, and what to do next.

Every error the library raises on purpose is a `StratagraphError`, so that an edge (CLI, MCP server, Dagster asset)
can print one clear message and stop. Programming mistakes stay ordinary Python exceptions and keep their traceback.
"""

from __future__ import annotations

from collections.abc import Iterator


class StratagraphError(Exception):
    """A problem the user can act on.

    Args:
        what: what happened, in one sentence.
        where: the place (file and line, table and row, IRI), if one is known.
        hint: what to do next, if that can be said.
    """

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.hint:
            parts.append(f"  -> {self.hint}")
        return "\n".join(parts)


class ConfigError(StratagraphError):
    """`stratagraph.yaml` cannot be used as it is."""


class SourceError(StratagraphError):
    """A source or document set cannot be read."""


class OntologyError(StratagraphError):
    """An ontology file cannot be used."""


class ExtractionError(StratagraphError):
    """An extraction engine cannot work (endpoint missing, ceiling reached)."""


class WarehouseError(StratagraphError):
    """The warehouse cannot be opened or written (locked, disk full, wrong version)."""


class CommitRefusedError(StratagraphError):
    """A batch of statements was refused as a whole; nothing of it was written."""


class SnapshotError(StratagraphError):
    """A snapshot is missing, damaged, or written for another version."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, the nearest first: libraries wrap what they catch."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
