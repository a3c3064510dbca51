"""What the mapping of a table makes of its rows: classes, properties, refs, edges, times; and of rows that changed."""

from __future__ import annotations

import hashlib
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from logged import FIRST, Log

from stratagraph.errors import ConfigError
from stratagraph.sources.mapping.checks import written
from stratagraph.sources.mapping.templates import column_list
from stratagraph.sources.names import iri_safe
from stratagraph.sources.table_statements import prepare_tables, table_statements
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, write_batch

ALWAYS = "-infinity", "infinity"


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def valid(row: dict[str, Any]) -> tuple[str, str | None]:
    return row["valid_from"], row["valid_to"]


def test_the_class_follows_the_value_of_a_column(log: Log) -> None:
    log.table("party", ["id", "kind"], ["id"])
    for number, kind in enumerate(("P", "O", "x", None, 7, True), start=1):
        log.row("party", {"id": number, "kind": kind})
    classes = {"column": "kind", "values": {"P": "v:Person", "O": "v:Organization", 7: "v:Seven", True: "v:Sure"}}

    def found(**mapping: Any) -> list[str]:
        said = log.said({"party": mapping})
        return [said.nodes[f"party/id={number}"]["predicate"] for number in range(1, 7)]

    assert found(classes=classes) == ["v:Person", "v:Organization", "party", "party", "v:Seven", "v:Sure"]
    assert found(classes=classes | {"otherwise": "v:Other"})[2:4] == ["v:Other", "v:Other"]
    assert found(**{"class": "v:Party", "classes": classes})[2:4] == ["v:Party", "v:Party"]


def test_columns_become_properties_templates_make_values_and_what_is_ignored_is_not_said(log: Log) -> None:
    log.table("p", ["id", "Email", "a", "b", "secret"], ["id"])
    log.row("p", {"id": 1, "Email": 'x"y@z', "a": 2, "b": None, "secret": "s"})
    log.row("p", {"id": 2, "Email": None, "a": 1.5, "b": "c", "secret": "s"})
    values = {"v:email": "mailto:{Email}", "v:both": "{a}/{b?}", "v:strict": "{a}{{{b}}}"}
    said = log.said({"p": {"properties": {"a": "v:a"}, "values": values, "ignore": ["secret"]}})
    first, second = said.nodes["p/id=1"]["properties"], said.nodes["p/id=2"]["properties"]
    assert first == {"p#id": 1, "p#Email": 'x"y@z', "v:a": 2, "v:email": 'mailto:x"y@z', "v:both": "2/"}
    assert second == {"p#id": 2, "v:a": 1.5, "p#b": "c", "v:both": "1.5/c", "v:strict": "1.5{c}"}


def test_rows_say_what_their_json_says_whatever_the_names_and_values_are(log: Log) -> None:
    generator = random.Random(7)
    names = ["a", "A b", "c/d~e", "q\"u'o", "$strings[1]", "{x}", "t1", "é", "percent%", "null", "'null'"]
    values = [
        None,
        0,
        -7,
        10**18,
        1.5,
        True,
        False,
        "",
        "null",
        '"',
        "\\",
        "a\nb",
        "é日本",
        "' OR 1=1 --",
        "{t1}",
        [1, None],
        {"k": []},
    ]
    log.table("o'dd; t", names, [])
    expected = []
    for number in range(60):
        content = {name: generator.choice(values) for name in names} | {"a": number}
        log.row("o'dd; t", content, key=["#", f"{number:032x}", 1])
        expected.append({name: value for name, value in content.items() if value is not None})
    said = log.said()
    prefix = iri_safe("o'dd; t")
    found = [row["properties"] for row in said.statements]
    assert found == [{f"{prefix}#{iri_safe(name)}": value for name, value in sorted(row.items())} for row in expected]
    assert [row["source_key"] for row in said.statements[:2]] == [
        f'{{"row":"{number:032x}","occurrence":1}}' for number in range(2)
    ]
    assert said.statements[3]["subject"] == f"{prefix}/~{3:032x}.1"


def test_a_ref_lets_two_tables_meet_on_one_node_and_keeps_values_apart(log: Log) -> None:
    log.table("employee", ["id", "mail"], ["id"])
    log.table("author", ["no", "mail", "name"], ["no"])
    log.table("book", ["id", "by"], ["id"])
    log.key("book", ["by"], "author", ["no"])
    log.row("employee", {"id": 1, "mail": "a/b=c"})
    log.row("employee", {"id": 2, "mail": None})
    log.row("author", {"no": "x", "mail": "a/b=c", "name": "Ann"})
    log.row("book", {"id": 5, "by": "x"})
    log.row("book", {"id": 6, "by": "y"})
    ref = {"ref": "person/{mail}"}
    said = log.said({"employee": ref, "author": ref | {"label": "{name}"}}, valid_time="always")
    (subject,) = {row["subject"] for row in said.statements if row["scope"] in ("employee", "author")}
    assert subject == "person/a%2Fb%3Dc"
    assert {row["facet"] for row in said.statements if row["subject"] == subject} == {"s/employee", "s/author"}
    assert said.edges == [("book/id=5", "book#ref-by", subject)]
    # The IRI of an author that is missing does not follow from the key any more.
    assert said.problems == [
        ("foreign_key_target_missing", "key0: no such row", "s/book"),
        ("null_key", "a part of the primary key, or of ref, is NULL", "s/employee"),
    ]
    absolute = log.said({"employee": {"ref": "v:person/{mail}"}})
    assert "v:person/a%2Fb%3Dc" in absolute.nodes


def test_two_rows_of_a_table_with_one_ref_are_both_refused(log: Log) -> None:
    log.table("p", ["id", "mail"], ["id"])
    for number, mail in enumerate(("a", "b", "a"), start=1):
        log.row("p", {"id": number, "mail": mail})
    log.row("p", {"id": 4, "mail": "c"})
    log.row("p", {"id": 4, "mail": "c"}, load=1, present=False)
    log.row("p", {"id": 5, "mail": "c"}, load=1)  # one after the other is no doubt
    said = log.said({"p": {"ref": "{mail}"}}, valid_time="load")
    assert sorted(said.nodes) == ["b", "c"]
    assert [(reason, table) for reason, _, table in said.problems] == [("ambiguous_ref", "s/p")] * 2


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("person", "names no column"),
        ("{a}{b}", "needs a character such as"),
        ("{a}-{b}", "needs a character such as"),
        ("p q/{a}", "is no part of an IRI"),
        ("{a}/{{b}}", "may hold no brace"),
        ("w:{a}", "undeclared prefix w:"),
    ],
)
def test_a_ref_that_could_fold_rows_is_refused(log: Log, ref: str, message: str) -> None:
    log.table("t", ["a", "b"], ["a"])
    with pytest.raises(ConfigError, match=message):
        log.said({"t": {"ref": ref}})


# Rows that are edges


LINK = {"edge": {"subject": "person", "predicate": "v:worksOn", "object": "project"}}


def links(log: Log) -> None:
    log.table("person", ["id", "name"], ["id"])
    log.table("project", ["id", "name"], ["id"])
    log.table("work", ["id", "person", "project", "hours", "start", "until"], ["id"])
    log.key("work", ["person"], "person", ["id"])
    log.key("work", ["project"], "project", ["id"])
    for number in (1, 2):
        log.row("person", {"id": number, "name": f"P{number}"})
        log.row("project", {"id": number, "name": f"J{number}"})


def test_rows_of_a_link_table_are_edges_with_attributes_and_their_own_evidence(log: Log) -> None:
    links(log)
    log.row("work", {"id": 1, "person": 1, "project": 2, "hours": 7, "start": "2020-01-01", "until": "2021-01-01"})
    log.row("work", {"id": 2, "person": 1, "project": 2, "hours": 9, "start": "2022-01-01"})
    mapping = LINK | {"valid_time": "columns", "valid_from": "start", "valid_to": "until", "properties": {"hours": "v:hours"}}
    said = log.said({"work": mapping}, valid_time="always")
    found = [row for row in said.statements if row["scope"] == "work"]
    assert said.edges == [("person/id=1", "v:worksOn", "project/id=2")] * 2
    assert not [subject for subject in said.nodes if subject.startswith("work")]
    assert [(row["source_key"], valid(row), row["properties"].get("v:hours")) for row in found] == [
        ('{"id":1}', ("2020-01-01 00:00:00+00", "2021-01-01 00:00:00+00"), 7),
        ('{"id":2}', ("2022-01-01 00:00:00+00", "infinity"), 9),
    ]
    assert found[0]["properties"] == {"work#id": 1, "v:hours": 7, "work#start": "2020-01-01", "work#until": "2021-01-01"}
    assert found[0]["value"]["fact"] == "P1 works on J2"


def test_a_link_without_one_of_its_ends_is_quarantined(log: Log) -> None:
    links(log)
    log.row("work", {"id": 1, "person": 9, "project": 2})
    log.row("work", {"id": 2, "person": None, "project": 8})
    said = log.said({"work": LINK}, valid_time="always")
    assert said.edges == []
    assert said.problems == [
        ("foreign_key_target_missing", "key0 is NULL; key1: no such row", "s/work"),
        ("foreign_key_target_missing", "key0: no such row", "s/work"),
    ]


def test_a_pair_that_two_rows_say_stands_until_the_last_of_them_goes(log: Log) -> None:
    links(log)
    for number, hours in ((1, 7), (2, 9)):
        log.row("work", {"id": number, "person": 1, "project": 2, "hours": hours})
    log.row("work", {"id": 1, "person": 1, "project": 2, "hours": 7}, load=1, present=False)
    log.row("work", {"id": 2, "person": 1, "project": 1, "hours": 9}, load=2)
    log.row("work", {"id": 2, "person": 1, "project": 1, "hours": 10}, load=3)
    log.row("work", {"id": 2, "person": 1, "project": 1, "hours": 10, "start": "x"}, load=4)
    said = log.said({"work": LINK | {"ignore": ["start"]}})
    found = [
        (row["valid_from"][:10], row["polarity"], row["object"], row["properties"]["work#hours"], row["source_key"])
        for row in said.statements
        if row["scope"] == "work"
    ]
    assert sorted(found) == [
        ("2026-01-01", "assert", "project/id=2", 7, '{"id":1}'),
        ("2026-01-01", "assert", "project/id=2", 9, '{"id":2}'),
        ("2026-01-02", "assert", "project/id=2", 9, '{"id":2}'),  # what is left says so from then on
        ("2026-01-03", "assert", "project/id=1", 9, '{"id":2}'),
        ("2026-01-03", "retract", "project/id=2", 9, '{"id":2}'),
        ("2026-01-04", "assert", "project/id=1", 10, '{"id":2}'),
    ]


def test_two_keys_that_are_mapped_to_one_property_let_go_of_it_together(log: Log) -> None:
    log.table("address", ["id"], ["id"])
    log.table("orders", ["id", "ship", "bill"], ["id"])
    log.key("orders", ["ship"], "address", ["id"])
    log.key("orders", ["bill"], "address", ["id"])
    for number in (1, 2):
        log.row("address", {"id": number})
    log.row("orders", {"id": 1, "ship": 1, "bill": 1})
    log.row("orders", {"id": 1, "ship": 2, "bill": 1}, load=1)
    log.row("orders", {"id": 1, "ship": 2, "bill": 2}, load=2)
    said = log.said({"orders": {"references": {"ship": "v:at", "bill": "v:at"}}})
    found = [(row["valid_from"][:10], row["polarity"], row["object"]) for row in said.statements if row["kind"] == "edge"]
    assert sorted(set(found)) == [
        ("2026-01-01", "assert", "address/id=1"),
        ("2026-01-02", "assert", "address/id=2"),
        ("2026-01-03", "assert", "address/id=2"),
        ("2026-01-03", "retract", "address/id=1"),
    ]
    assert found.count(("2026-01-01", "assert", "address/id=1")) == 1


# Times


@pytest.mark.parametrize(
    ("row", "mapping", "expected"),
    [
        (("2024-01-01", "2024-02-01"), {}, ("2024-01-01", "2024-02-01")),
        (("2024-01-01", "2024-02-01"), {"closed": True}, ("2024-01-01", "2024-02-02")),
        (("2024-03-31", "2024-03-31"), {"closed": True, "zone": "Europe/Berlin"}, ("2024-03-30 23:00", "2024-03-31 22:00")),
        (("20240101", 20240131), {"closed": True, "time_format": "%Y%m%d"}, ("2024-01-01", "2024-02-01")),
        (("01.02.2024", "2024-03-01"), {"time_formats": {"f": "%d.%m.%Y"}}, ("2024-02-01", "2024-03-01")),
        (("2024-01-01", "9999-12-31"), {"open_values": ["9999-12-31"]}, ("2024-01-01", "infinity")),
        (("2024-01-01", "9999-12-31"), {}, ("2024-01-01", "9999-12-31")),
        (("0001-01-01", None), {"open_values": ["0001-01-01"]}, ("-infinity", "infinity")),
        ((None, None), {}, ("-infinity", "infinity")),
        (("2024-01-01", "infinity"), {}, ("2024-01-01", "infinity")),
        (("2024-01-01T10:00:00+02:00", None), {"zone": "Asia/Tokyo"}, ("2024-01-01 08:00", "infinity")),
        (("2024-02-01", "2024-01-01"), {}, "reversed_period"),
        (("2024-02-30", None), {}, "unparsable_time"),
        (("2024-01-01", "soon"), {}, "unparsable_time"),
        (("01.02.2024", None), {"time_format": "%Y%m%d"}, "unparsable_time"),
        (("999999-01-01", None), {}, "unparsable_time"),
        (("infinity", None), {}, "infinite_time"),
        (("2024-01-01", "-infinity"), {}, "infinite_time"),
    ],
)  # fmt: skip
def test_valid_time_from_columns(log: Log, row: tuple[Any, Any], mapping: dict[str, Any], expected: Any) -> None:
    log.table("t", ["id", "f", "u"], ["id"])
    log.row("t", {"id": 1, "f": row[0], "u": row[1]})
    said = log.said({"t": {"valid_time": "columns", "valid_from": "f", "valid_to": "u"} | mapping})
    if isinstance(expected, str):
        assert (said.statements, [reason for reason, _, _ in said.problems]) == ([], [expected])
    else:
        short = [
            tuple((time or "").removesuffix(":00+00").removesuffix(" 00:00") for time in valid(row)) for row in said.statements
        ]
        assert (said.problems, short) == ([], [expected])


def states(log: Log, *rows: tuple[str | None, bool], **mapping: Any) -> list[tuple[str, str, str, int]]:
    """(name, polarity, valid_from, sequence) of the states of one row; each given as (updated, present)."""
    log.table("t", ["id", "n", "updated", "seen"], ["id"])
    for number, (updated, present) in enumerate(rows):
        log.row("t", {"id": 1, "n": f"n{number}", "updated": updated}, load=number, present=present)
    said = log.said({"t": {"updated_at": "updated", "properties": {"n": "v:n"}} | mapping})
    return [(row["properties"]["v:n"], row["polarity"], row["valid_from"][:10], row["sequence"]) for row in said.statements]


def test_a_row_that_says_when_it_changed_is_an_event_of_that_time(log: Log) -> None:
    assert states(log, ("2025-05-01", True), ("2025-06-01", True)) == [
        ("n0", "assert", "2025-05-01", 0),
        ("n1", "assert", "2025-06-01", 1),
    ]


def test_of_two_states_of_one_time_the_later_load_counts(log: Log) -> None:
    assert states(log, ("2025-05-01", True), ("2025-05-01", True)) == [
        ("n0", "assert", "2025-05-01", 0),
        ("n1", "assert", "2025-05-01", 1),
    ]


def test_a_time_that_goes_back_does_not_bring_back_the_state_before(log: Log) -> None:
    assert states(log, ("2025-05-01", True), ("2025-04-01", True)) == [
        ("n0", "assert", "2025-05-01", 0),
        ("n1", "assert", "2025-05-01", 1),
    ]


def test_a_row_that_was_gone_keeps_its_gap_whatever_it_says_of_its_time(log: Log) -> None:
    assert states(log, ("2025-05-01", True), ("2025-05-01", False), ("2025-05-01", True)) == [
        ("n0", "assert", "2025-05-01", 0),
        ("n1", "retract", "2026-01-02", 1),
        ("n2", "assert", "2026-01-03", 2),
    ]


def test_a_row_without_a_time_of_its_own_changed_when_it_was_loaded_and_an_unreadable_one_is_refused(log: Log) -> None:
    assert states(log, (None, True), ("yesterday", True)) == [("n0", "assert", "2026-01-01", 0)]
    assert [reason for reason, _, _ in log.said({"t": {"updated_at": "updated"}}).problems] == ["unparsable_time"]


def test_observed_at_comes_from_a_column_and_not_from_what_a_row_was_when_it_went(log: Log) -> None:
    log.table("t", ["id", "seen"], ["id"])
    log.row("t", {"id": 1, "seen": "2024-05-01 12:00"})
    log.row("t", {"id": 1, "seen": "2024-05-01 12:00"}, load=1, present=False)
    log.row("t", {"id": 2, "seen": None})
    log.row("t", {"id": 3, "seen": "infinity"})
    said = log.said({"t": {"observed_at": "seen", "zone": "Europe/Berlin"}})
    assert [(row["subject"], row["observed_at"]) for row in said.statements] == [
        ("t/id=1", "2024-05-01 10:00:00+00"),
        ("t/id=1", None),
        ("t/id=2", None),
    ]
    assert [reason for reason, _, _ in said.problems] == ["infinite_time"]


# Columns that were renamed or dropped


def test_a_renamed_column_keeps_its_iri_and_older_rows_are_read_by_its_old_name(log: Log) -> None:
    log.table("city", ["no"], ["no"], renamed={"no": "id"})
    log.table("person", ["key", "full", "lives"], ["key"], renamed={"key": "id", "full": "name", "lives": "city"})
    log.key("person", ["lives"], "city", ["no"])
    log.row("city", {"id": 5}, key=[5])
    log.row("city", {"no": 6})
    log.row("person", {"id": 1, "name": "Ann", "city": 5}, key=[1])
    log.row("person", {"key": 2, "full": "Bob", "lives": 6})
    log.row("person", {"key": 3, "full": "Cy", "lives": 7})
    said = log.said({"person": {"label": "{full}"}}, valid_time="always")
    assert said.nodes["person/id=1"]["properties"] == {"person#id": 1, "person#name": "Ann", "person#city": 5}
    assert said.nodes["person/id=2"]["properties"] == {"person#id": 2, "person#name": "Bob", "person#city": 6}
    assert [said.nodes[f"person/id={number}"]["value"]["label"] for number in (1, 2)] == ["Ann", "Bob"]
    assert said.edges == [
        (f"person/id={number}", "person#ref-city", f"city/id={city}") for number, city in ((1, 5), (2, 6), (3, 7))
    ]
    with pytest.raises(ConfigError, match="there is no column 'name' any more: it is called full now"):
        log.said({"person": {"properties": {"name": "v:name"}}})


# Nested rows


def nested(log: Log, key: list[str], columns: list[str]) -> None:
    log.table("orders", columns, key)
    log.table("orders.items", ["product"], [], path=["orders", "items"])
    log.table("orders.items.tax lines", ["rate"], [], path=["orders", "items", "tax lines"])
    log.key("orders.items", ["parent"], "orders", [], "nested")
    log.key("orders.items.tax lines", ["parent"], "orders.items", [], "nested")


def test_items_of_a_list_are_nodes_below_their_row_and_refer_to_it(log: Log) -> None:
    nested(log, ["no", "at"], ["no", "at", "name"])
    log.row("orders", {"no": 7, "at": "a/b", "name": "O"})
    log.row("orders.items", {"product": "x"}, key=[7, "a/b", 0])
    log.row("orders.items", {"product": "y"}, key=[7, "a/b", 10])
    log.row("orders.items.tax lines", {"rate": 19}, key=[7, "a/b", 10, 2])
    said = log.said({"orders.items": {"references": {"parent": "v:partOf"}}}, valid_time="always")
    order = "orders/no=7;at=a%2Fb"
    assert sorted(said.nodes) == [order, *(f"{order}/items/{end}" for end in ("0", "10", "10/tax%20lines/2"))]
    assert said.edges == [
        (f"{order}/items/0", "v:partOf", order),
        (f"{order}/items/10", "v:partOf", order),
        (f"{order}/items/10/tax%20lines/2", "orders.items.tax%20lines#ref-parent", f"{order}/items/10"),
    ]
    lines = said.nodes[f"{order}/items/10/tax%20lines/2"]
    assert lines["source_key"] == '{"no":7,"at":"a/b","items":10,"tax lines":2}'
    assert (lines["predicate"], lines["properties"]) == ("orders.items.tax%20lines", {"orders.items.tax%20lines#rate": 19})
    assert lines["value"]["label"] == "orders.items.tax lines 7 a/b 10 2"


def test_items_of_a_row_without_a_key_hang_on_what_stands_in_it(log: Log) -> None:
    nested(log, [], ["name"])
    log.row("orders", {"name": "O"}, key=["#", "ab" * 16, 2])
    log.row("orders.items", {"product": "x"}, key=["#", "ab" * 16, 2, 0])
    said = log.said(valid_time="always")
    order = f"orders/~{'ab' * 16}.2"
    assert said.edges == [(f"{order}/items/0", "orders.items#ref-parent", order)]
    assert said.nodes[f"{order}/items/0"]["source_key"] == f'{{"row":"{"ab" * 16}","occurrence":2,"items":0}}'


@pytest.mark.parametrize("key", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_items_of_a_row_whose_key_is_not_whole_are_refused_with_it(log: Log, key: list[str]) -> None:
    nested(log, key, key)
    log.row("orders", {"b": 1}, key=["#", "ab" * 16, 1])
    log.row("orders.items", {"product": "x"}, key=["#", "ab" * 16, 1, 0])
    whole = ["#", "b", 3][: len(key)]
    log.row("orders", dict(zip(key, whole, strict=True)))
    log.row("orders.items", {"product": "y"}, key=[*whole, 0])
    said = log.said(valid_time="always")
    assert [(reason, table) for reason, _, table in said.problems] == [("null_key", "s/orders"), ("null_key", "s/orders.items")]
    assert len(said.nodes) == 2 and len(said.edges) == 1


# Checks


def test_everything_that_is_wrong_with_a_mapping_comes_in_one_message(log: Log) -> None:
    log.table("customers", ["id", "name", "City"], ["id"])
    log.table("orders", ["id", "customer", "placed"], ["id"])
    log.key("orders", ["customer"], "customers", ["id"])
    mapping = {
        "customer": {"class": "v:C"},
        "customers": {
            "label": "{nam}",
            "properties": {"city": "v:city", "name": "v:name"},
            "values": {"v:name": "{id}"},
            "ignore": ["nme"],
        },
        "orders": {
            "references": {"custmer": "v:by"},
            "classes": {"column": "xyz", "values": {"a": "v:A"}},
            "valid_time": "columns",
            "valid_from": "place",
        },
    }
    with pytest.raises(ConfigError) as caught:
        log.said(mapping)
    lines = [line.strip() for line in str(caught.value).splitlines()[1:-1]]
    assert lines == [
        "sources.s.mapping.customer: the table 'customer' is not loaded; did you mean customers? Allowed: customers, orders",
        "sources.s.mapping.customers.label: there is no column 'nam'; did you mean name? Allowed: id, name, City",
        "sources.s.mapping.customers.properties.city: there is no column 'city'; did you mean City? Allowed: id, name, City",
        "sources.s.mapping.customers.ignore: there is no column 'nme'; did you mean name? Allowed: id, name, City",
        "sources.s.mapping.customers.values.\"v:name\": 'name' and 'v:name' are mapped to one property, v:name",
        "sources.s.mapping.orders.classes.column: there is no column 'xyz'. Allowed: id, customer, placed",
        "sources.s.mapping.orders.valid_from: there is no column 'place'; did you mean placed? Allowed: id, customer, placed",
        "sources.s.mapping.orders.references.custmer: the table has no foreign key 'custmer': there is no column 'custmer'; "
        "did you mean customer? Allowed: id, customer, placed",
    ]


@pytest.mark.parametrize(
    ("mapping", "source", "message"),
    [
        (
            {"edge": {"subject": "name", "predicate": "v:x", "object": "customer"}},
            {},
            r"has no foreign key 'name'\. Allowed: customer, seller",
        ),
        ({"edge": {"subject": "customer", "predicate": "v:x", "object": "customer"}}, {}, "are the same foreign key"),
        ({"references": {"customer": "v:a", "customer ": "v:b"}}, {}, "the key is mapped twice"),
        ({"updated_at": "name"}, {"valid_time": "always"}, "read only with valid_time: load, and here it is always"),
        (
            {"edge": {"subject": "a", "predicate": "v:x", "object": "b"}, "class": "v:C"},
            {},
            "rows that are edges have no class",
        ),
        ({"closed": True}, {}, "closed is about valid_to"),
        ({"time_format": "%Y"}, {}, "time_format is about columns with times"),
        ({"observed_at": "name", "time_formats": {"x": "%Y"}}, {}, "x is no column with times; allowed: name"),
        ({"properties": {"name": "v:n"}, "ignore": ["name"]}, {}, "both in properties and in ignore"),
        ({"values": {"w:x": "{name}"}}, {}, "undeclared prefix w:"),
    ],
)
def test_a_mapping_that_means_nothing_is_refused(
    log: Log, mapping: dict[str, Any], source: dict[str, Any], message: str
) -> None:
    log.table("customers", ["id"], ["id"])
    log.table("orders", ["id", "customer", "seller", "name"], ["id"])
    log.key("orders", ["customer"], "customers", ["id"])
    log.key("orders", ["seller"], "customers", ["id"])
    with pytest.raises(ConfigError, match=message):
        log.said({"orders": mapping}, **source)


def test_rows_that_others_refer_to_are_no_edges(log: Log) -> None:
    links(log)
    log.table("note", ["id", "work"], ["id"])
    log.key("note", ["work"], "work", ["id"])
    with pytest.raises(ConfigError, match=r"other rows refer to this table's, so they can't be edges: note \(work\)"):
        log.said({"work": LINK})


@pytest.mark.parametrize("columns", [("a",), ("a", "b c"), ("a,b", 'q"x'), (" a ", "b")])
def test_columns_of_a_key_are_read_as_they_are_written(columns: tuple[str, ...]) -> None:
    assert column_list(written(columns)) == columns


@pytest.mark.slow
@pytest.mark.parametrize("loads", [1, 2])
def test_the_bytes_of_a_batch_are_the_same_at_any_number_of_threads(log: Log, loads: int) -> None:
    log.table("parent", ["id", "name"], ["id"])
    log.table("child", ["id", "parent"], ["id"])
    log.key("child", ["parent"], "parent", ["id"])
    project = log.project({}, valid_time="load")
    with project.landing_connection(read_only=False) as connection:
        for table, count in (("parent", 1000), ("child", 400_000)):
            for load in range(loads):
                connection.execute(
                    "INSERT INTO stratagraph.rows SELECT 's', $table, '[' || i || ']',"
                    " json_object('id', i, 'name', 'n' || i, 'parent', hash(i + $load) % 1000), $at, TRUE"
                    " FROM range($count) AS r(i)",
                    {"table": table, "count": count // (1 + load * 10), "at": FIRST + timedelta(days=load), "load": load},
                )
    digests = set()
    for threads in (1, 2, 8):
        with project.landing_connection() as connection:
            connection.execute(f"SET threads = {threads}")
            for name in ("create_macros", "create_problems"):
                connection.execute(load_sql("sources", name))
            prepare_tables(project, connection, "s", project.config.sources["s"])  # type: ignore[arg-type]
            batch = Batch(f"b{threads}", "s", 0, complete=True)
            staged = write_batch(project, "rows", batch, table_statements(project, connection, "s"))
            digests.add(hashlib.sha256(staged.statements.read_bytes()).hexdigest())
    assert len(digests) == 1
