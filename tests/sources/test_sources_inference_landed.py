"""Inference at every load: what it leaves in the landing file, and what tells rows apart from one load to the next."""

from __future__ import annotations

from typing import Any

import pytest
from staged import Clock, Database, Make, load_all

from stratagraph.project import Project
from stratagraph.sources.catalog import inferred_keys
from stratagraph.sources.keys.inference.landed import inferred_identifiers

SHOP = """
CREATE TABLE customers (customer_id INTEGER, email TEXT);
CREATE TABLE orders (order_id INTEGER, customer_id INTEGER, note TEXT);
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO customers SELECT i, 'm' || i FROM n;
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) INSERT INTO orders SELECT i, i % 30 + 1, 'n' || i FROM n;
"""
KEY = "orders(customer_id) -> customers(customer_id)"


def identities(project: Project) -> dict[str, tuple[tuple[str, ...], tuple[str, ...] | None]]:
    with project.landing_connection() as connection:
        return {found.table: (found.columns, found.before) for found in inferred_identifiers(connection, "shop")}


def keys(project: Project) -> dict[str, bool]:
    with project.landing_connection() as connection:
        return {key.name: key.used for key in inferred_keys(connection, "shop")}


def shop(make_project: Make, database: Database, script: str = SHOP, **config: Any) -> Project:
    path = database(script)
    project = make_project(shop={"type": "sql", "url": f"sqlite:///{path}", **config})
    load_all(project)
    return project


def test_identities_and_keys_stay_until_they_fail(make_project: Make, database: Database, clock: Clock) -> None:
    project = shop(make_project, database)
    assert keys(project) == {KEY: True}
    both = {"customers": (("customer_id",), None), "orders": (("order_id",), None)}
    assert identities(project) == both
    clock.forward()
    database("UPDATE orders SET note = 'changed' WHERE order_id = 1; DELETE FROM customers WHERE customer_id = 40;")
    load_all(project)
    assert (keys(project), identities(project)) == ({KEY: True}, both)
    clock.forward()
    database("UPDATE orders SET order_id = 2 WHERE order_id = 1; UPDATE orders SET customer_id = order_id + 500;")
    (result,) = load_all(project)
    assert result.notes == "(order_id) of orders tells its rows apart no longer: they are other nodes"
    assert identities(project) == {"customers": (("customer_id",), None), "orders": ((), ("order_id",))}
    assert keys(project) == {KEY: False}


def test_what_the_config_says_no_to_is_not_used(make_project: Make, database: Database) -> None:
    assert keys(shop(make_project, database, not_keys=[KEY])).get(KEY, False) is False


@pytest.mark.slow
def test_nothing_is_inferred_where_it_is_not_wanted(make_project: Make, database: Database) -> None:
    project = shop(make_project, database, infer_keys=False)
    assert (keys(project), identities(project)) == ({}, {})
