"""How strongly two records speak for one thing: names, attributes and neighbours weighed in bits.

The model is that of Fellegi and Sunter, "A Theory for Record Linkage" (1969), without training: what two records share counts
as much as it is rare among the records themselves (log2 of one over its share), what differs counts against them by a constant,
and the prior is one match per record. Everything is computed in `sql/identity`; one set of constants serves all data.
What a score is worth is decided in `judge`, not here.
"""

from __future__ import annotations

from stratagraph.temporal.steps import Steps

LAYER = "identity"

# Bits, unless said otherwise. How they were chosen: docs/decisions.
CONSTANTS: dict[str, float] = {
    "background": 100.0,  # records that are imagined beside the known ones: with two records nothing is rare
    "letter_bits": 2.5,  # the most that one sign can tell
    "alike": 0.88,  # Jaro-Winkler likeness from which two words are one, misspelled
    "shortened": 0.6,  # likeness of a word and its initial or shortening
    "near": 0.8,  # likeness of two codes that differ in one sign
    "near_text": 0.85,  # share of signs from which two texts are one, misspelled
    "most_bits": 10.0,  # the most that one attribute can say for one thing
    "different_bits": 2.5,  # the most that one attribute can say against
    "number_scale": 2.0,  # one over the share of itself by which a number is quite another
    "unmatched": 0.3,  # share of a word's bits that counts against, where only one attribute has it
    "unmatched_name": 0.5,  # the same of names
    "unmatched_both": 6.0,  # of the smaller part, where each name has words that the other lacks
    "most_name_bits": 24.0,
}
BLOCK_SIZE = 25  # records; a larger block says too little to compare all that stand in it
_DESCRIBED = (("record_values", ()), ("value_tokens", ()), ("token_weights", ("background", "letter_bits")))
_SCORED = (
    ("value_pairs", ()),
    ("token_matches", ("alike", "shortened")),
    ("value_scores", ("most_bits", "different_bits", "unmatched", "near", "near_text", "number_scale")),
    ("pair_names", ("most_name_bits", "unmatched_name", "unmatched_both", "near_text")),
    ("pair_fields", ()),
    ("pair_scores", ("background",)),
)


def describe_records(steps: Steps) -> None:
    """Take apart what the step table `record_fields` (record, field, kind, value) says; the connection has `normalise_name`."""
    _keep(steps, _DESCRIBED)


def block_records(steps: Steps) -> dict[str, int]:
    """Keep `pairs` (a, b): what stands in a block together, of `record_classes` that are `compatible`, one of them `changed`.

    Returns how many blocks were too large to be compared, and how many records stand in the largest.
    """
    steps.keep("blocks", LAYER, "select_blocks", {"block_size": BLOCK_SIZE})
    steps.keep("block_sizes", LAYER, "select_block_sizes", {"block_size": BLOCK_SIZE})
    steps.keep("pairs", LAYER, "select_block_pairs")
    return {name: int(str(value)) for name, value in steps.row(LAYER, "count_blocks").items()}


def score_pairs(steps: Steps) -> None:
    """Score the step table `pairs`. Leaves pair_scores (a, b, bits, score), pair_names and pair_fields."""
    _keep(steps, _SCORED)


def _keep(steps: Steps, files: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    for name, constants in files:
        steps.keep(name, LAYER, f"select_{name}", {key: CONSTANTS[key] for key in constants})
