"""The text form of a foreign key: what is printed is read back, and what can't be read is explained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagraph.errors import ConfigError
from stratagraph.sources.keys.text import KeyText, parse_key, print_key

NAMES = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Orders(CustomerID) -> Customers(CustomerID)", KeyText("Orders", ("CustomerID",), "Customers", ("CustomerID",))),
        ("Orders(CustomerID)->Customers(CustomerID)", KeyText("Orders", ("CustomerID",), "Customers", ("CustomerID",))),
        ("A ( x,y )  -> B( u , v ) ", KeyText("A", ("x", "y"), "B", ("u", "v"))),
        ('"Order Details"("Order ID") -> Orders(id)', KeyText("Order Details", ("Order ID",), "Orders", ("id",))),
        ('"a ""b"" c"("(x)") -> b("->")', KeyText('a "b" c', ("(x)",), "b", ("->",))),
        ("orders.items(sku) -> 商品(编号)", KeyText("orders.items", ("sku",), "商品", ("编号",))),
        ("sub-type(a-b) -> t(c)", KeyText("sub-type", ("a-b",), "t", ("c",))),
    ],
)
def test_reading(text: str, expected: KeyText) -> None:
    assert parse_key(text) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a table and its columns"),
        ("Orders", "a table and its columns"),
        ("Orders(CustomerID)", "there is no ->"),
        ("Orders(CustomerID) -> Customers", "a table and its columns"),
        ("Orders() -> Customers(id)", "don't end with )"),
        ("Orders(a -> Customers(id)", "don't end with )"),
        ("Orders(a,) -> Customers(id)", "don't end with )"),
        ("Orders(a, b) -> Customers(id)", "2 columns can't refer to 1"),
        ("Orders(a, a) -> Customers(b, c)", "stands twice"),
        ("Orders(a) -> Customers(b) -> Things(c)", "something behind it: ->"),
        ("Order Details(a) -> Orders(a)", '"Order Details"'),
        ("Orders(Ship Via) -> Shippers(id)", '"Ship Via"'),
        ('"Orders(a) -> Customers(b)', "quote at character 1 is not closed"),
        ("Orders(a) = Customers(b)", "there is no ->"),
    ],
)
def test_what_is_wrong_is_said(text: str, what: str) -> None:
    with pytest.raises(ConfigError, match="is no foreign key") as caught:
        parse_key(text, "sources.shop.keys")
    assert what in caught.value.what
    assert caught.value.where == "sources.shop.keys"
    assert "Orders(CustomerID) -> Customers(CustomerID)" in str(caught.value.hint)


@given(NAMES, st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4), NAMES)
def test_what_is_printed_is_read_back(table: str, pairs: list[tuple[str, str]], other: str) -> None:
    columns, others = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    if len(set(columns)) == len(columns) and len(set(others)) == len(others):
        assert parse_key(print_key(table, columns, other, others)) == KeyText(table, columns, other, others)


def test_the_order_of_columns_makes_no_other_key() -> None:
    assert parse_key("A(x, y) -> B(u, v)").links == parse_key("A(y, x) -> B(v, u)").links
    assert parse_key("A(x, y) -> B(u, v)").links != parse_key("A(x, y) -> B(v, u)").links
