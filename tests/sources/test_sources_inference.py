"""Foreign keys that nobody declared: what names and values say, and what must not be concluded from them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.keyed.datasets import connect, tables_of
from stratagraph.sources.keys.inference.infer import Inference, InferredKey, infer_keys
from stratagraph.sources.keys.inference.names import abbreviates, match_names, owner, words
from stratagraph.sources.keys.inference.tables import KeyColumn, KeyTable
from stratagraph.sources.keys.text import print_key

Infer = Callable[..., Inference]
CUSTOMERS = "CREATE TABLE customers AS SELECT range + 1 AS id, 'name ' || range AS name FROM range(100);"
ORDERS = (
    """CREATE TABLE orders AS SELECT range + 1 AS id, range % 90 + 1 AS customer_id, range * 1.5 AS total FROM range(500);"""
)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as opened:
        opened.execute("USE landed")
        yield opened


@pytest.fixture
def infer(connection: duckdb.DuckDBPyConnection) -> Infer:
    """Runs a script that makes tables, and infers their keys. primary: table -> declared key."""

    def run(script: str, primary: dict[str, tuple[str, ...]] | None = None, **options: object) -> Inference:
        connection.execute(script)
        return infer_keys(connection, tables_of(connection, primary or {}), **options)  # type: ignore[arg-type]

    return run


def text(key: InferredKey) -> str:
    return print_key(*key.key)


def used(inference: Inference) -> set[str]:
    return {text(key) for key in inference.keys if key.used}


def listed(inference: Inference) -> dict[str, InferredKey]:
    return {text(key): key for key in inference.keys if not key.used}


def identities(inference: Inference) -> dict[str, tuple[str, ...]]:
    return {identity.table: identity.columns for identity in inference.identities}


# --- names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CustomerID", ("customer", "id")),
        ("customer_ids", ("customer", "id")),
        ("SupplierCompanyIDs", ("supplier", "company", "id")),
        ("teamIDwinner", ("team", "id", "winner")),
        ("year.key", ("year", "key")),
        ("HTTPServerId", ("http", "server", "id")),
        ("Categories", ("category",)),
        ("addresses", ("address",)),
        ("status", ("status",)),
        ("People", ("person",)),
        ("客户编号", ("客户编号",)),
        ("  ", ("  ",)),
    ],
)
def test_a_name_is_cut_into_words(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


@pytest.mark.parametrize(
    ("column", "table", "key", "other", "kind"),
    [
        ("CustomerID", "Orders", "CustomerID", "Customers", "same"),
        ("stuid", "Lives_in", "StuID", "Student", "same"),
        ("airport_id", "flight", "id", "airport", "table"),
        ("company_id", "flight", "id", "operate_company", "table"),
        ("ship_city_id", "orders", "city_id", "city", "role"),
        ("recorded_by_staff_id", "Fault_Log", "staff_id", "Staff", "role"),
        ("dst_apid", "routes", "apid", "airports", "role"),
        ("Member_in_charge_ID", "party_events", "Member_ID", "member", "role"),
        ("teamIDwinner", "SeriesPost", "teamID", "Teams", "suffixed"),
        ("Manufacturer", "Products", "Code", "Manufacturers", "named"),
        ("cust_id", "loan", "id", "customer", "short"),
        ("ReportsTo", "Employee", "EmployeeId", "Employee", "self"),
        ("parent_category_id", "category", "id", "category", "self"),
        ("manager_id", "employees", "id", "employees", "self"),
    ],
)
def test_a_name_points_at_a_key(column: str, table: str, key: str, other: str, kind: str) -> None:
    found = match_names(column, table, key, other)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("column", "table", "key", "other"),
    [
        ("id", "orders", "id", "customers"),
        ("code", "orders", "code", "customers"),
        ("order_status", "items", "id", "orders"),  # the status of an order is no order
        ("customer_type_id", "orders", "order_type_id", "order_type"),
        ("city_code", "orders", "city_id", "city"),
        ("number_of_hosts", "party", "id", "host"),
        ("email_address", "people", "id", "address"),
        ("customer_address", "customers", "address_id", "addresses"),
        ("home_games", "stadium", "id", "game"),
        ("manager_id", "stores", "id", "stores"),  # a manager is a person
        ("order_id", "orchestra", "id", "orchestra"),
    ],
)
def test_a_name_that_points_at_nothing(column: str, table: str, key: str, other: str) -> None:
    assert match_names(column, table, key, other) is None


def test_abbreviations_and_owners() -> None:
    assert abbreviates("dept", "department") and abbreviates("stu", "student") and not abbreviates("ct", "customer")
    assert not abbreviates("order", "orchestra") and not abbreviates("customer", "cust")
    assert owner("id", "anything") == owner("city_name", "city") == owner("TerritoryID", "Territories") == 1.0
    assert owner("store_id", "staff") == 0.0 and owner("fare_id", "fare_attributes") == 0.5


# --- values --------------------------------------------------------------------------------------------------------------


def test_an_evident_key_is_used_and_says_why(infer: Infer) -> None:
    found = infer(CUSTOMERS + ORDERS)
    assert used(found) == {"orders(customer_id) -> customers(id)"}
    (key,) = found.keys
    assert (key.coverage, key.evidence["name"]["kind"]) == (1.0, "table")
    assert key.evidence["values"] == {
        "rows": 500, "found": 500, "distinct": 90, "distinct_found": 90, "referenced_distinct": 100, "telling": True,
    }  # fmt: skip
    assert identities(found) == {"customers": ("id",), "orders": ("id",)}


def test_small_numbers_are_found_everywhere_and_prove_nothing(infer: Infer) -> None:
    """Status codes 1..5, quantities and surrogate ids are all contained in one another."""
    found = infer(
        CUSTOMERS + ORDERS + "CREATE TABLE products AS SELECT range + 1 AS id, range % 5 + 1 AS status, range % 7 + 1 AS size "
        "FROM range(300); CREATE TABLE statistics AS SELECT range + 1 AS id, range % 5 + 1 AS rank FROM range(50);"
        "ALTER TABLE orders ADD COLUMN status_code BIGINT; UPDATE orders SET status_code = id % 5 + 1;"
    )
    assert used(found) == {"orders(customer_id) -> customers(id)"}
    assert listed(found) == {}


def test_a_number_called_as_a_table_is_not_used_on_small_values(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE grades AS SELECT range + 1 AS id, range % 30 AS student FROM range(100);"
        "CREATE TABLE pupils AS SELECT range + 1 AS id, range % 5 + 1 AS grade FROM range(60);"
    )
    assert used(found) == set()
    assert "pupils(grade) -> grades(id)" in listed(found)


def test_two_keys_to_one_table_and_a_role(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE address AS SELECT range + 1 AS address_id, 'street ' || range AS street FROM range(60);"
        "CREATE TABLE invoice AS SELECT range + 1 AS invoice_id, range % 50 + 1 AS ship_address_id, range % 40 + 1 AS "
        "bill_address_id FROM range(200);"
    )
    assert used(found) == {
        "invoice(ship_address_id) -> address(address_id)", "invoice(bill_address_id) -> address(address_id)"
    }  # fmt: skip


def test_a_role_in_front_of_the_key_of_another_table(infer: Infer) -> None:
    """As in Sakila: staff work in a store, a store has a manager among the staff. Each way is one key."""
    found = infer(
        "CREATE TABLE staff AS SELECT range + 1 AS staff_id, range + 1 AS store_id FROM range(2);"
        "CREATE TABLE store AS SELECT range + 1 AS store_id, range + 1 AS manager_staff_id FROM range(2);"
    )
    assert used(found) == {"staff(store_id) -> store(store_id)", "store(manager_staff_id) -> staff(staff_id)"}


@pytest.mark.parametrize(
    ("column", "expected"), [("ReportsTo", True), ("ManagerID", True), ("ParentEmployeeID", True), ("Level", False)]
)
def test_self_references(infer: Infer, column: str, expected: bool) -> None:
    found = infer(
        f"CREATE TABLE Employees AS SELECT range + 1 AS EmployeeID, nullif(range // 3, 0) AS {column} FROM range(30);"
    )
    assert (f"Employees({column}) -> Employees(EmployeeID)" in used(found)) is expected


def test_a_column_that_repeats_the_rows_own_key_is_no_reference(infer: Infer) -> None:
    found = infer("CREATE TABLE category AS SELECT range + 1 AS id, range + 1 AS parent_id FROM range(40);")
    assert used(found) == set()


def test_a_one_to_one_subtype_refers_to_what_it_is_a_kind_of(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE person AS SELECT range + 1 AS person_id FROM range(100);"
        "CREATE TABLE teacher AS SELECT range * 2 + 1 AS person_id, 'x' AS subject FROM range(40);"
    )
    assert used(found) == {"teacher(person_id) -> person(person_id)"}
    assert identities(found) == {"person": ("person_id",)}  # the other's own key is not sure


def test_a_link_table_refers_to_both_sides_and_has_no_identity(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE actor AS SELECT range + 1 AS actor_id FROM range(50); CREATE TABLE film AS SELECT range + 1 AS film_id "
        "FROM range(80); CREATE TABLE film_actor AS SELECT range % 50 + 1 AS actor_id, range % 80 + 1 AS film_id "
        "FROM range(300);"
    )
    assert used(found) == {"film_actor(actor_id) -> actor(actor_id)", "film_actor(film_id) -> film(film_id)"}
    assert identities(found) == {"actor": ("actor_id",), "film": ("film_id",)}


def test_of_two_tables_with_the_key_the_one_that_holds_all_is_meant(infer: Infer) -> None:
    """Neither table is called after the service: the calendar has all of them, its exceptions some."""
    found = infer(
        "CREATE TABLE calendar AS SELECT 'S' || range AS service_id FROM range(9);"
        "CREATE TABLE exceptions AS SELECT 'S' || range AS service_id, 1 AS kind FROM range(4);"
        "CREATE TABLE trips AS SELECT range + 1 AS trip_id, 'S' || range % 4 AS service_id FROM range(30);"
    )
    assert used(found) == {"trips(service_id) -> calendar(service_id)", "exceptions(service_id) -> calendar(service_id)"}


def test_two_tables_with_the_same_key_refer_to_neither(infer: Infer) -> None:
    """Both are called after something else, and hold the same values."""
    found = infer(
        "CREATE TABLE nurse AS SELECT 'E' || range AS employee_id FROM range(40);"
        "CREATE TABLE doctor AS SELECT 'E' || range AS employee_id FROM range(40);"
    )
    assert used(found) == set()
    assert set(listed(found)) == {"nurse(employee_id) -> doctor(employee_id)", "doctor(employee_id) -> nurse(employee_id)"}


def test_two_tables_that_fit_alike_are_left_to_a_person(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE customer AS SELECT range + 1 AS customer_id FROM range(100);"
        "CREATE TABLE customers AS SELECT range + 1 AS customer_id FROM range(100);"
        "CREATE TABLE orders AS SELECT range + 1 AS order_id, range % 90 + 1 AS customer_id FROM range(500);"
    )
    assert used(found) == set()
    candidate = listed(found)["orders(customer_id) -> customer(customer_id)"]
    assert candidate.evidence["rivals"] == ["orders(customer_id) -> customers(customer_id)"]


@pytest.mark.parametrize(
    ("missing", "expected"), [(0, True), (1, True), (20, True), (60, False), (250, False)], ids=lambda value: str(value)
)
def test_a_few_missing_targets_are_forgiven_where_names_are_certain(infer: Infer, missing: int, expected: bool) -> None:
    found = infer(CUSTOMERS + ORDERS + f"UPDATE orders SET customer_id = 1000 + id WHERE id <= {missing};")
    assert ("orders(customer_id) -> customers(id)" in used(found)) is expected
    if not expected:
        assert listed(found)["orders(customer_id) -> customers(id)"].coverage == (500 - missing) / 500


def test_missing_targets_are_not_forgiven_where_names_are_not(infer: Infer) -> None:
    script = (
        "CREATE TABLE Manufacturers AS SELECT 'code ' || range AS Code FROM range(80);"
        "CREATE TABLE Products AS SELECT range + 1 AS id, 'code ' || range % 70 AS Manufacturer FROM range(500);"
    )
    assert used(infer(script)) == {"Products(Manufacturer) -> Manufacturers(Code)"}
    again = infer("UPDATE Products SET Manufacturer = 'gone ' || id WHERE id <= 30;")
    assert used(again) == set()


@pytest.mark.parametrize(
    ("column", "change", "hint"),
    [
        ("code", "upper(country_code)", 1.0),
        ("code", "' ' || country_code || ' '", 1.0),
        ("code", "country_code", None),
    ],
    ids=["case", "spaces", "same"],
)
def test_text_that_differs_in_case_or_spaces_joins_nothing_but_is_pointed_out(
    infer: Infer, column: str, change: str, hint: float | None
) -> None:
    found = infer(
        "CREATE TABLE country AS SELECT 'land' || chr(97 + range::INT) AS code FROM range(20);"
        "CREATE TABLE city AS SELECT range + 1 AS id, 'land' || chr(97 + (range % 18)::INT) AS country_code FROM range(90);"
        f"UPDATE city SET country_code = {change};"
    )
    key = f"city(country_code) -> country({column})"
    if hint is None:
        assert used(found) == {key}
    else:
        assert used(found) == set()
        assert listed(found)[key].evidence["if_folded"] == hint


def test_numbers_and_text_are_equal_only_if_they_are_spelt_alike(infer: Infer) -> None:
    parent = "CREATE TABLE region AS SELECT lpad((range + 1)::VARCHAR, {width}, '0') AS region_id FROM range(40);"
    child = "CREATE TABLE shop AS SELECT range + 1 AS shop_id, range % 35 + 1 AS region_id FROM range(200);"
    spelt = infer(parent.format(width=3) + child)
    assert used(spelt) == set()
    assert listed(spelt)["shop(region_id) -> region(region_id)"].evidence["if_folded"] == 1.0
    alike = infer("DROP TABLE region; CREATE TABLE region AS SELECT (range + 1)::VARCHAR AS region_id FROM range(40);")
    assert used(alike) == {"shop(region_id) -> region(region_id)"}


def test_whole_doubles_equal_integers(infer: Infer) -> None:
    """NULLs make a column of integers a column of doubles in many tools."""
    found = infer(
        CUSTOMERS + "CREATE TABLE orders AS SELECT range + 1 AS id, (range % 90 + 1)::DOUBLE AS customer_id FROM range(500);"
    )
    assert used(found) == {"orders(customer_id) -> customers(id)"}


def test_tables_without_rows_and_columns_without_values(infer: Infer) -> None:
    """What has no values adds no edge. It is used where the names leave no doubt, and looked at again when values come."""
    found = infer(
        CUSTOMERS + "CREATE TABLE orders AS SELECT range + 1 AS id, NULL::BIGINT AS customer_id FROM range(9);"
        "CREATE TABLE visits (visit_id BIGINT, customer_id BIGINT, guest BIGINT); CREATE TABLE guests (id BIGINT);"
        "CREATE TABLE notes AS SELECT range + 1 AS note_id, range + 1 AS guest_id FROM range(9);"
        "CREATE TABLE customers_text (customer_id BIGINT, body VARCHAR);"
    )
    assert used(found) == {"orders(customer_id) -> customers(id)", "visits(customer_id) -> customers(id)"}
    assert {key.coverage for key in found.keys if key.used} == {None}
    assert listed(found)["customers_text(customer_id) -> customers(id)"].coverage is None  # perhaps its own key
    assert identities(found) == {"customers": ("id",), "notes": ("note_id",), "orders": ("id",)}


def test_nothing_at_all(infer: Infer) -> None:
    assert infer("SELECT 1") == Inference((), ())
    assert infer("CREATE TABLE a (x BIGINT); CREATE TABLE b (x BIGINT)") == Inference((), ())


def test_a_date_dimension(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE dim_date AS SELECT strftime(d, '%Y%m%d')::BIGINT AS date_key, d AS full_date FROM "
        "(SELECT DATE '2020-01-01' + range::INT AS d FROM range(700));"
        "CREATE TABLE fact_sales AS SELECT range + 1 AS sale_id, strftime(DATE '2020-01-01' + "
        "(range % 600)::INT, '%Y%m%d')::BIGINT AS order_date_key, DATE '2020-01-01' + (range % 600)::INT AS order_date "
        "FROM range(2000);"
    )
    assert used(found) == {"fact_sales(order_date_key) -> dim_date(date_key)"}


def test_columns_that_can_be_no_key(infer: Infer) -> None:
    """Fractions, bytes, lists and structs are looked past, whatever they are called."""
    found = infer(
        "CREATE TABLE customers AS SELECT range + 0.5 AS id, [range] AS tags, {'a': range} AS body, 'x'::BLOB AS picture_id, "
        "[range::DECIMAL(9, 2)] AS amount_id, TIME '12:00' AS time_id, 'a'::ENUM ('a') AS kind_id FROM range(50); "
        "CREATE TABLE orders AS SELECT range + 0.5 AS customer_id, true AS flag_id FROM range(50);"
    )
    assert used(found) == set()
    assert identities(found) == {}


def test_a_name_that_says_nothing_is_listed_by_its_values_and_never_used(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE franchise AS SELECT 'FR' || range AS franchise_code FROM range(60);"
        "CREATE TABLE team AS SELECT range + 1 AS team_id, 'FR' || range % 30 AS played_as, range % 9 AS size FROM range(90);"
    )
    assert used(found) == set()
    assert set(listed(found)) == {"team(played_as) -> franchise(franchise_code)"}


def test_values_that_many_keys_have_are_not_listed(infer: Infer) -> None:
    tables = "".join(f"CREATE TABLE t{n} AS SELECT range + 1 AS t{n}_id FROM range(90);" for n in range(5))
    found = infer(tables + "CREATE TABLE log AS SELECT range + 1 AS log_id, range % 40 + 1 AS rep_id FROM range(80);")
    assert found.keys == ()


# --- several columns -----------------------------------------------------------------------------------------------------

TEAMS = "CREATE TABLE Teams AS SELECT 1990 + range // 8 AS yearID, 'T' || range % 8 AS teamID, 'x' AS name FROM range(160);"


def test_a_composite_key_with_two_roles(infer: Infer) -> None:
    found = infer(
        TEAMS
        + "CREATE TABLE Finals AS SELECT 1990 + range AS yearID, 'T' || range % 8 AS teamIDwinner, 'T' || (range + 3) % 8 AS "
        "teamIDloser FROM range(20);"
    )
    assert used(found) == {
        "Finals(yearID, teamIDwinner) -> Teams(yearID, teamID)", "Finals(yearID, teamIDloser) -> Teams(yearID, teamID)"
    }  # fmt: skip
    assert identities(found)["Teams"] == ("yearID", "teamID")


def test_a_composite_key_is_no_identity_unless_something_refers_to_it(infer: Infer) -> None:
    assert "Teams" not in identities(infer(TEAMS))


def test_a_composite_reference_that_does_not_hold(infer: Infer) -> None:
    found = infer(
        TEAMS + "CREATE TABLE Games AS SELECT 1970 + range % 40 AS yearID, 'T' || range % 12 AS teamID FROM range(300);"
    )
    assert used(found) == set()


def test_a_declared_composite_key(infer: Infer) -> None:
    found = infer(
        "CREATE TABLE line AS SELECT range // 4 AS order_no, range % 4 AS line_no, 'x' AS item FROM range(200);"
        "CREATE TABLE delivery AS SELECT range AS delivery_id, range // 4 AS order_no, range % 4 AS line_no FROM range(120);",
        {"line": ("order_no", "line_no")},
    )
    assert used(found) == {"delivery(order_no, line_no) -> line(order_no, line_no)"}


def test_a_column_of_the_own_key_refers_to_nothing_by_a_part_of_it(infer: Infer) -> None:
    """(yearID, teamIDold) -> (yearID, teamID) of the same table is no reference between rows."""
    found = infer(TEAMS + "ALTER TABLE Teams ADD COLUMN teamIDold VARCHAR; UPDATE Teams SET teamIDold = teamID;")
    assert used(found) == set()


# --- what a person said, what was known, what came before ----------------------------------------------------------------


def test_what_is_taken_or_denied_is_not_inferred(infer: Infer) -> None:
    taken = infer(CUSTOMERS + ORDERS, taken={("orders", "customer_id")})
    assert taken.keys == ()
    denied = infer("SELECT 1", denied={("orders", "customers", frozenset({("customer_id", "id")}))})
    assert used(denied) == set()


def test_an_identity_stays_while_it_holds(infer: Infer) -> None:
    script = "CREATE TABLE items AS SELECT range + 1 AS id, 'sku' || range AS item_code FROM range(50);"
    assert identities(infer(script)) == {"items": ("id",)}
    kept = infer("SELECT 1", kept={"items": ("item_code",)})
    assert identities(kept) == {"items": ("item_code",)}
    lost = infer("UPDATE items SET item_code = 'sku1'", kept={"items": ("item_code",)})
    (identity,) = lost.identities
    assert (identity.columns, identity.before) == (("id",), ("item_code",))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("range + 1 AS id, range + 1 AS other_id", ("id",)),
        ("range + 1 AS thing_id, 'n' || range AS name", ("thing_id",)),
        ("'n' || range AS name, range + 1 AS thing_id", ("thing_id",)),
        ("'n' || range AS name, range AS size", None),  # unique, and no identifier
        ("range AS customer_id, 'x' AS body", None),  # another table's identifier
        ("range % 7 AS id", None),
        ("nullif(range, 3) AS id", None),
        ("range AS row_no, 'x' AS body", ("row_no",)),
        ("'x' AS body, range AS row_no", None),
    ],
)
def test_identities_are_chosen_only_when_sure(infer: Infer, columns: str, expected: tuple[str, ...] | None) -> None:
    found = infer(CUSTOMERS.replace(" AS id", " AS customer_id") + f"CREATE TABLE thing AS SELECT {columns} FROM range(60);")
    assert identities(found).get("thing") == expected


def test_the_result_is_the_same_whatever_the_order_of_tables(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        CUSTOMERS + ORDERS + TEAMS + "CREATE TABLE visits AS SELECT range AS visit_id, 1 AS customer_id FROM range(9);"
    )
    tables = tables_of(connection, {})
    assert infer_keys(connection, tables) == infer_keys(connection, tables[::-1])


def test_cells_that_hold_json_text_and_variants_of_a_column(connection: duckdb.DuckDBPyConnection) -> None:
    """As files land: each cell as the JSON text of its value; and as dlt splits a column whose values have two types."""
    connection.execute(
        "CREATE TABLE region AS SELECT to_json('R' || range) AS region_id, to_json([range]) AS tags FROM range(30);"
        "CREATE TABLE shop AS SELECT to_json(range + 1) AS shop_id, to_json('R' || range % 20) AS region_id FROM range(90);"
        "CREATE TABLE visit AS SELECT range AS visit_id, CASE WHEN range % 2 = 0 THEN range % 90 + 1 END AS shop_id, "
        "CASE WHEN range % 2 = 1 THEN (range % 90 + 1)::VARCHAR END AS shop_id__v_text FROM range(300);"
    )
    texts = {"region": ("region_id", "tags"), "shop": ("shop_id", "region_id")}
    tables = [
        KeyTable(name, f'"{name}"', tuple(KeyColumn(column, ((column, "VARCHAR"),), encoded=True) for column in columns))
        for name, columns in texts.items()
    ]
    split = KeyColumn("shop_id", (("shop_id", "BIGINT"), ("shop_id__v_text", "VARCHAR")))
    tables.append(KeyTable("visit", '"visit"', (KeyColumn("visit_id", (("visit_id", "BIGINT"),)), split)))
    assert used(infer_keys(connection, tables)) == {"shop(region_id) -> region(region_id)", "visit(shop_id) -> shop(shop_id)"}


def test_names_of_tables_and_columns_are_never_read_as_sql(infer: Infer) -> None:
    found = infer(
        """CREATE TABLE "cust""omers; --" AS SELECT range + 1 AS id FROM range(50);"""
        """CREATE TABLE "o'rders {table}" AS SELECT range AS "id", range % 40 + 1 AS "cust""omers_id" FROM range(90);"""
    )
    assert len(used(found)) <= 1
    assert identities(found) == {'cust"omers; --': ("id",), "o'rders {table}": ("id",)}


def test_large_tables_are_sampled_and_still_counted_whole(infer: Infer) -> None:
    """One row in 300,000 without a target is found although the profile looks at every third row only."""
    script = (
        "CREATE TABLE customers AS SELECT range + 1 AS id FROM range(200000);"
        "CREATE TABLE orders AS SELECT range + 1 AS id, range % 150000 + 1 AS customer_id FROM range(300000);"
        "UPDATE orders SET customer_id = 999999 WHERE id = 17;"
    )
    (key,) = infer(script).keys
    assert (key.evidence["values"]["rows"], key.evidence["values"]["found"], key.used) == (300_000, 299_999, True)
