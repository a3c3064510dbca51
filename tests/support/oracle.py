"""A brute-force reading of the belief rules (design section 4), in plain Python and from the rules, not from the SQL.

Time is small integers on both clocks; BEGIN and END stand for -infinity and infinity. A log is a list of `Said`; belief is
asked instant by instant, and canonical rows are put together from the answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

BEGIN, END = -1_000, 1_000


@dataclass(frozen=True)
class Said:
    """One statement of a key. `value` None is a retraction; `until` None is an event."""

    source: str
    value: str | None
    start: int
    until: int | None
    observed: int | None = None
    sequence: int = 0


@dataclass(frozen=True)
class Logged:
    """A statement with its transaction time."""

    said: Said
    since: int
    to: int = END


def record(log: list[Logged], batch: list[Said], source: str, complete: bool, instant: int) -> list[Logged]:
    """The log after a batch: rule 6 (withdrawal), rule 7 (completeness), rule 13 (empty periods are nothing)."""
    said = [item for item in dict.fromkeys(batch) if item.until is None or item.start < item.until]
    live = [entry for entry in log if entry.to == END]
    after = []
    for entry in log:
        gone = entry.to == END and complete and entry.said.source == source and entry.said not in said
        # Said again, word for word and undated, after something else was said: it is observed anew.
        newer = any(other.since > entry.since for other in live)
        anew = entry.to == END and not complete and entry.said.observed is None and entry.said in said and newer
        after.append(replace(entry, to=instant) if gone or anew else entry)
    known = {entry.said for entry in after if entry.to == END}
    return after + [Logged(item, instant) for item in said if item not in known]


def winner(log: list[Logged], valid: int, known: int) -> str | None:
    """Rule 3: the value at an instant, or None."""
    live = [entry for entry in log if entry.since <= known < entry.to]

    def observed(entry: Logged) -> int:
        return entry.since if entry.said.observed is None else entry.said.observed

    events = [entry for entry in live if entry.said.until is None and entry.said.start <= valid]
    periods = [entry for entry in live if entry.said.until is not None and entry.said.start <= valid < entry.said.until]
    event = max(events, key=lambda e: (e.said.start, observed(e), e.said.sequence), default=None)
    period = max(periods, key=lambda p: (observed(p), p.said.sequence), default=None)
    if event and (not period or observed(event) > observed(period)):
        return event.said.value
    return period.said.value if period else None


def segments(log: list[Logged], known: int, instants: range) -> set[tuple[int, int, str]]:
    """Maximal valid-time segments believed at a transaction time. `instants` covers every bound in the log."""
    found, start, value = set(), BEGIN, winner(log, BEGIN, known)
    for instant in [*instants, END]:
        now = winner(log, instant, known) if instant < END else None
        if now != value or instant == END:
            if value is not None:
                found.add((start, instant, value))
            start, value = instant, now
    return found


def canonical(log: list[Logged], batches: int, instants: range) -> set[tuple[int, int, str, int, int]]:
    """Rule 4: each segment with the maximal transaction-time intervals in which exactly it is believed."""
    rows, open_rows = set(), {}
    for known in range(batches):
        now = segments(log, known, instants)
        for segment in set(open_rows) - now:
            rows.add((*segment, open_rows.pop(segment), known))
        for segment in now - set(open_rows):
            open_rows[segment] = known
    return rows | {(*segment, since, END) for segment, since in open_rows.items()}
