"""Opens the snapshot a command reads, and the points of the two clocks it asks about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagraph.cli.place import data_path
from stratagraph.errors import SnapshotError

if TYPE_CHECKING:
    from stratagraph.snapshot.reader import Snapshot

_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


@contextmanager
def opened(path: Path | None) -> Iterator[Snapshot]:
    """The snapshot at `--path`, or the latest of the project."""
    from stratagraph.snapshot.reader import open_snapshot

    latest_folder(path)  # says what to do if there is none
    with open_snapshot(data_path(path)) as snapshot:
        yield snapshot


def latest_folder(path: Path | None) -> Path:
    """The folder of the snapshot at `--path`, or of the latest of the project."""
    from stratagraph.snapshot.layout import find_snapshot

    place = data_path(path)
    try:
        return find_snapshot(place)
    except SnapshotError as error:
        raise SnapshotError(
            error.what, where=error.where, hint="run `stratagraph build`, or name a snapshot with --path"
        ) from error


def point(snapshot: Snapshot, valid_at: str | None, known_at: str | None) -> dict[str, str]:
    """Both clocks as text for SQL; the defaults are now, and the last moment the snapshot knows of."""
    from stratagraph.snapshot.times import parse_instant

    valid = parse_instant(valid_at, datetime.now(UTC))
    known = parse_instant(known_at, parse_instant(str(snapshot.manifest["known_at"]), None))
    if valid is None or known is None:
        raise SnapshotError("a point is needed here, not 'any'", hint="give an instant, or leave the option out")
    return {"valid_at": valid.isoformat(), "known_at": known.isoformat()}


def at_point(rows: Iterable[dict[str, Any]], valid_at: str | None, known_at: str | None) -> list[dict[str, Any]]:
    """The rows whose intervals hold the given instants; None and 'any' are no filter on that clock."""
    from stratagraph.snapshot.times import parse_instant

    valid, known = parse_instant(valid_at, None), parse_instant(known_at, None)
    return [row for row in rows if _holds(row, "valid", valid) and _holds(row, "recorded", known)]


def _holds(row: Mapping[str, Any], clock: str, moment: datetime | None) -> bool:
    return moment is None or _bound(row[f"{clock}_from"]) <= moment < _bound(row[f"{clock}_to"])


def _bound(value: object) -> datetime:
    """An end of an interval. What Python has no datetime for lies before all (BC, -infinity) or after all of them."""
    text = str(value)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _FIRST if text.startswith("-") or "BC" in text else _LAST
