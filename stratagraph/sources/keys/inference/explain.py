"""The evidence for an inferred key in words, for people who say yes or no to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NAMES = {
    "same": "the same name",
    "table": "called after the table",
    "role": "called after the table or its key, with a role in front",
    "named": "has the table's name, but is not called an identifier",
    "short": "its name may be short for the table's",
    "suffixed": "starts with the key's name",
    "self": "called as a relation between two rows of one table",
    "parts": "each part is called as a part of the key",
    "values": "its name says nothing, but all its values are found",
}


def explain_evidence(evidence: Mapping[str, Any]) -> str:
    """One line: what the names say, what the values say, what speaks against it."""
    return "; ".join([*_about_names(evidence), *_about_values(evidence), *_against(evidence)])


def _about_names(evidence: Mapping[str, Any]) -> Iterator[str]:
    name = evidence["name"]
    role = f" ({name['role']})" if name["role"] else ""
    yield _NAMES[name["kind"]] + role
    if name["kind"] == "same" and name["table_fit"] < 0.6:
        yield "which does not name the table it refers to"


def _about_values(evidence: Mapping[str, Any]) -> Iterator[str]:
    values = evidence["values"]
    if not values["rows"]:
        yield "no row has a value yet"
        return
    if values["found"] == values["rows"]:
        yield f"all {values['rows']:,} rows find theirs ({values['distinct']:,} of {values['referenced_distinct']:,} values)"
    else:
        missing = values["distinct"] - values["distinct_found"]
        yield f"{values['rows'] - values['found']:,} of {values['rows']:,} rows find none ({missing:,} different values)"
    folded = evidence.get("if_folded")
    if folded is not None and folded > values["found"] / values["rows"]:
        yield f"{folded:.0%} would be found if case, spaces around and zeros in front did not count"


def _against(evidence: Mapping[str, Any]) -> Iterator[str]:
    factors = evidence["factors"]
    if (
        evidence["values"]["rows"]
        and not evidence["values"]["telling"]
        and evidence["name"]["kind"] not in ("same", "table", "role")
    ):
        yield "values like these are easily found by chance"
    if "types" in factors:
        yield "numbers here, text there"
    if "mutual" in factors:
        yield "each holds all values of the other"
    if "same_row" in factors:
        yield "it mostly repeats the row's own key"
    if "referenced_empty" in factors:
        yield "the table it refers to is empty"
    if "own_key" in factors:
        yield "it is what tells the rows of its own table apart"
    if "key_names_no_table" in factors:
        yield "no part of the key is called after its table"
    if "denied" in factors:
        yield "you said no"
    if evidence.get("rivals"):
        yield (
            f"as likely as {', '.join(evidence['rivals'])}"
            if "rivals" in factors
            else f"rather than {', '.join(evidence['rivals'])}"
        )
