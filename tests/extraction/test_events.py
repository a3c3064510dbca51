"""Events: two of one name at two times are two things; the core vocabulary has the terms."""

from __future__ import annotations

import pytest

from stratagraph.extraction.events import AT_PLACE, EVENT, HAS_PARTICIPANT, event_key, is_event
from stratagraph.identity.names import normalise_name

EX = "https://example.org/stratagraph/demo#"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("meeting", "2024-03-01T00:00:00Z"), ("Meeting", "2024-03-01T00:00:00Z"), True),
        (("meeting", "2024-03-01T00:00:00Z"), ("meeting", "2024-03-01T00:00:00+00:00"), True),
        (("meeting", "2024-03-01T00:00:00Z"), ("meeting", "2024-03-08T00:00:00Z"), False),
        (("meeting", "2024-03-01T09:00:00Z"), ("meeting", "2024-03-01T15:00:00Z"), False),
        (("meeting", None), ("meeting", "2024-03-01T00:00:00Z"), False),
        (("meeting", None), ("meeting", None), True),
    ],
)
def test_an_event_is_its_name_and_when_it_began(one, other, same):
    assert (normalise_name(event_key(*one)) == normalise_name(event_key(*other))) is same


def test_the_core_vocabulary_has_events(demo_ontology):
    assert is_event(demo_ontology, EVENT)
    assert not is_event(demo_ontology, EX + "Person")
    for predicate in (HAS_PARTICIPANT, AT_PLACE):
        prop = demo_ontology.properties[predicate]
        assert (prop.kind, prop.domain, prop.range) == ("object", (frozenset({EVENT}),), ())
