"""Events: what happens at a time, with those who take part: their terms in the core vocabulary, and what tells them apart.

How a model is asked for events is `openai/prompt.py`; what of its answer may stand is `resolve.py`.
"""

from __future__ import annotations

from stratagraph.ontology.model import CORE, Ontology

EVENT = CORE + "Event"
HAS_PARTICIPANT = CORE + "hasParticipant"
AT_PLACE = CORE + "atPlace"


def is_event(ontology: Ontology, class_iri: str) -> bool:
    """Whether members of a class are events."""
    return ontology.is_a(class_iri, (EVENT,))


def event_key(name: str, valid_from: str | None) -> str:
    """What tells an event from the others of its name: the name and the time at which it began, if that is known.

    Two meetings on two days are two events; a name alone would make them one.

    Args:
        valid_from: as resolved, ISO 8601 in UTC.

    >>> event_key("board meeting", "2024-03-01T00:00:00Z"), event_key("board meeting", "2024-03-01T14:30:00+00:00")
    ('board meeting 2024-03-01', 'board meeting 2024-03-01T14:30:00')
    >>> event_key("board meeting", None)
    'board meeting'
    """
    if valid_from is None:
        return name
    time = valid_from.removesuffix("Z").removesuffix("+00:00").removesuffix("T00:00:00")
    return f"{name} {time}"
