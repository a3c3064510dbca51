"""Data sets whose foreign keys are known, with all declarations hidden: nothing wrong is used, and nearly all is found.

The keys of Lahman and GTFS stand in `benchmarks/keyed/datasets.py`, each with the place where its documentation says so.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.foreign_keys import links  # noqa: E402
from benchmarks.keyed.datasets import Dataset, Key, open_datasets  # noqa: E402
from stratagraph.sources.keys.inference.infer import infer_keys  # noqa: E402

SHARED = ROOT.parent / "shared" / "data"
# What can't be known from the data: a name that says nothing (SupportRepId, NAassoc), and three values of which all tables have
# the like (ShipVia). With nothing declared, also a reference from an empty table to an empty one.
MISSED: dict[str, set[Key]] = {
    "Chinook": {("Customer", ("SupportRepId",), "Employee", ("EmployeeId",))},
    "Northwind": {
        ("Orders", ("ShipVia",), "Shippers", ("ShipperID",)),
        ("CustomerCustomerDemo", ("CustomerTypeID",), "CustomerDemographics", ("CustomerTypeID",)),
    },
    "Sakila": set(),
    "Lahman": {("TeamsFranchises", ("NAassoc",), "TeamsFranchises", ("franchID",))},
    "GTFS": set(),
}
DECLARED_MISSED = {**MISSED, "Northwind": {("Orders", ("ShipVia",), "Shippers", ("ShipperID",))}}
IDENTITIES = {
    "Chinook": 10, "Northwind": 9, "Sakila": 13, "Lahman": 5, "GTFS": 6,
}  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Dataset]:
    """Each data set, loaded once."""
    scratch = tmp_path_factory.mktemp("datasets")
    northwind = runpy.run_path(str(ROOT / "examples" / "demo" / "prepare.py"))["build"](scratch)
    loaders, loaded = open_datasets(SHARED, northwind, scratch), {}

    def find(name: str) -> Dataset:
        if name != "Northwind" and not SHARED.exists():
            pytest.skip("../shared/data is absent")
        if name not in loaded:
            loaded[name] = loaders[name]()
        return loaded[name]

    return find


@pytest.mark.parametrize("name", MISSED)
def test_with_nothing_declared(opened: Callable[[str], Dataset], name: str) -> None:
    dataset = opened(name)
    inference = infer_keys(dataset.connection, dataset.tables())
    used = links([key for key in inference.keys if key.used])
    assert used <= links(dataset.keys)
    assert links(dataset.keys) - used == links(MISSED[name])
    assert len(inference.identities) == IDENTITIES[name]
    if dataset.primary:
        assert all(identity.columns == dataset.primary[identity.table] for identity in inference.identities)


@pytest.mark.parametrize("name", ["Chinook", "Northwind", pytest.param("Sakila", marks=pytest.mark.slow)])
def test_with_primary_keys_declared(opened: Callable[[str], Dataset], name: str) -> None:
    dataset = opened(name)
    inference = infer_keys(dataset.connection, dataset.tables(with_primary=True))
    used = links([key for key in inference.keys if key.used])
    assert used <= links(dataset.keys)
    assert links(dataset.keys) - used == links(DECLARED_MISSED[name])
    assert inference.identities == ()


@pytest.mark.parametrize("name", ["Northwind", pytest.param("Lahman", marks=pytest.mark.slow)])
@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_half_of_the_rows_of_each_referring_table_give_the_same_keys(
    opened: Callable[[str], Dataset], name: str, half: int
) -> None:
    """Nothing hangs on one row: of the tables that nothing refers to, every second row is taken away."""
    dataset = opened(name)
    referred = {key[2] for key in dataset.keys}
    connection = dataset.connection
    whole = links([key for key in infer_keys(connection, dataset.tables()).keys if key.used])
    connection.begin()
    try:
        for table in dataset.tables():
            if table.name not in referred:
                connection.execute(f"DELETE FROM {table.relation} WHERE rowid % 2 = {half}")
        halved = links([key for key in infer_keys(connection, dataset.tables()).keys if key.used])
    finally:
        connection.rollback()
    assert halved == whole


@pytest.mark.parametrize("name", ["Chinook", "Northwind", pytest.param("Sakila", marks=pytest.mark.slow)])
def test_targets_that_are_lost_make_keys_uncertain_and_none_wrong(opened: Callable[[str], Dataset], name: str) -> None:
    """A third of the rows of every table is gone: most references have lost their targets."""
    dataset = opened(name)
    connection = dataset.connection
    connection.begin()
    try:
        for table in dataset.tables():
            connection.execute(f"DELETE FROM {table.relation} WHERE rowid % 3 = 0")
        inference = infer_keys(connection, dataset.tables())
    finally:
        connection.rollback()
    assert links([key for key in inference.keys if key.used]) <= links(dataset.keys)
    assert len(links(inference.keys) & links(dataset.keys)) >= 0.7 * len(dataset.keys)  # a person still gets to see them
