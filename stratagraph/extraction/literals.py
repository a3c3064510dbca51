"""Values of attributes as text writes them, in the form of their datatype: "17 March 2020" is the xsd:date 2020-03-17.

A time is never made more or less precise than it was written, but for a day where a moment is asked for: its midnight. What
XSD itself has for a value is `ontology/xsd.py`; how times are written is `times.py`.
"""

from __future__ import annotations

from datetime import datetime

from stratagraph.extraction.times import TimeError, iso, parse_time
from stratagraph.ontology.xsd import TIMES, XSD, canonical

# (datatype, precision of what was written) -> how many characters of the instant's ISO form are its value; None: all of them.
_FORMS: dict[tuple[str, str], int | None] = {
    ("date", "day"): 10, ("gYear", "year"): 4, ("gYearMonth", "month"): 7, ("dateTime", "day"): None,
    ("dateTime", "instant"): None, ("dateTimeStamp", "day"): None, ("dateTimeStamp", "instant"): None,
}  # fmt: skip


def read_value(datatype: str, written: str, reference_time: datetime) -> str | None:
    """The value of a datatype that a text states, or None.

    Args:
        datatype: its IRI.
        reference_time: from which "yesterday" counts.

    >>> from datetime import UTC
    >>> then = datetime(2020, 6, 15, tzinfo=UTC)
    >>> [read_value(XSD + name, "17 March 2020", then) for name in ("date", "dateTime", "gYear", "string")]
    ['2020-03-17', '2020-03-17T00:00:00Z', None, '17 March 2020']
    """
    value = canonical(datatype, written)
    if value is not None or datatype not in TIMES:
        return value
    try:
        instant, precision = parse_time(written, reference_time)
    except (TimeError, ValueError, OverflowError):
        return None
    form = (datatype.removeprefix(XSD), precision)
    return iso(instant)[: _FORMS[form]] if form in _FORMS else None
