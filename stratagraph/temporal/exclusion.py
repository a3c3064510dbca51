"""Relations that do not hold together between the same two things: owl:propertyDisjointWith (design section 4, rule 8).

A statement of one denies the others for as long as it claims its own: there it stands against their statements as a retraction
of theirs would. So what it says reaches several keys, and the keys of such relations between two things, a *pair*, are derived
together. Nothing here is done for a dataset without such relations.
"""

from __future__ import annotations

from datetime import datetime

from stratagraph.temporal.steps import Steps


def has_exclusions(steps: Steps) -> bool:
    """Whether any relations exclude each other."""
    return steps.count("exclusions") > 0


def add_keys_of_pairs(steps: Steps) -> None:
    """Keep `keys`: the keys that changed (`changed_keys`) and those of their pairs."""
    _keep_pairs(steps, "changed_keys")
    steps.keep("keys", "temporal", "select_keys_of_pairs")


def date_pairs(steps: Steps, store_now: datetime) -> None:
    """Keep `touched`: the dated keys, where those of one pair change at one time."""
    steps.keep("touched", "temporal", "date_pairs", {"store_now": store_now})


def add_restated_pairs(steps: Steps) -> None:
    """Keep `withdrawn`: what a batch says anew of its keys (`restated`), and of their pairs."""
    _keep_pairs(steps, "keyed_again")
    steps.keep("withdrawn", "temporal", "select_restated_pairs")


def add_denials(steps: Steps) -> None:
    """Keep `live`: what is said of each key (`spoken`) and what denies it; and where the events of each key begin."""
    steps.keep("denials", "temporal", "derive_denials")
    steps.keep("voices", "temporal", "select_voices")
    steps.keep("event_starts", "temporal", "derive_event_starts", live="voices")
    steps.keep("live", "temporal", "select_live_with_denials")


def _keep_pairs(steps: Steps, keys: str) -> None:
    steps.keep("pairs", "temporal", "select_pairs", keys=keys)
    steps.keep("pair_statements", "temporal", "select_pair_statements")
    steps.keep("keyed_pair_statements", "temporal", "key_statements", statements="pair_statements", mapping="mapping")
