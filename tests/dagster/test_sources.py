"""Sources in Dagster: their tables as assets, their checks, the partitions of recorded versions, the sensor of their files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from dagster_project.build import build_defs
from dagster_project.demo import QUIET
from dagster_project.sensors import sources_changed
from stratagraph.project import Project

Materialized = dict[tuple[str, str | None], dict[str, Any]]
LOADS = ["landing/shop", "landing/holders"]
BELIEF = ["graph/ontology", "graph/statements", "graph/identities", "graph/nodes", "graph/edges"]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def build(
    config: Path, instance: dg.DagsterInstance, *, ok: bool = True, only: list[str] | None = None
) -> dg.ExecuteInProcessResult:
    """The job `build`, or some of its assets, from definitions of this moment."""
    job = build_defs(config_path=config).resolve_job_def("build")
    selection = [dg.AssetKey(name.split("/")) for name in only] if only else None
    result = job.execute_in_process(instance=instance, raise_on_error=False, run_config=QUIET, asset_selection=selection)
    assert result.success is ok
    return result


def materialized(result: dg.ExecuteInProcessResult) -> Materialized:
    """Metadata by asset and partition."""
    events = [event.materialization for event in result.get_asset_materialization_events()]
    return {
        (event.asset_key.to_user_string(), event.partition): {name: value.value for name, value in event.metadata.items()}
        for event in events
    }


def checks(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {
        f"{evaluation.asset_key.to_user_string()}:{evaluation.check_name}": evaluation
        for evaluation in result.get_asset_check_evaluations()
    }


def run(config: Path, script: str) -> None:
    with closing(sqlite3.connect(config.parent / "shop.db")) as connection:
        connection.executescript(script)
        connection.commit()


def tables_of(config: Path, source: str) -> dict[str, dg.AssetSpec]:
    """The assets under a source, as the definitions know them now."""
    specs = {spec.key.to_user_string(): spec for spec in build_defs(config_path=config).resolve_all_asset_specs()}
    return {key: spec for key, spec in specs.items() if key.startswith(f"landing/{source}/")}


def test_tables_are_assets_once_they_are_known(small_config: Path, instance: dg.DagsterInstance) -> None:
    assert not tables_of(small_config, "shop")
    first = materialized(build(small_config, instance, only=LOADS))
    assert first["landing/shop/purchase", None]["dagster/row_count"] == 3
    assert "landing/shop/customer, landing/shop/purchase" in first["landing/shop", None]["new_tables"]
    assert "`purchase` (customer_id) -> customer(id) (declared)" in first["landing/shop", None]["foreign_keys"]

    tables = tables_of(small_config, "shop")
    assert set(tables) == {"landing/shop/customer", "landing/shop/purchase"}
    purchase = tables["landing/shop/purchase"]
    assert (purchase.kinds, purchase.group_name) == ({"dlt", "duckdb", "sqlite"}, "sources")
    assert purchase.metadata["dagster/table_name"] == "shop.purchase"
    schema = purchase.metadata["dagster/column_schema"]
    assert [(column.name, column.type, column.constraints.nullable) for column in schema.columns] == [
        ("id", "INTEGER", False),
        ("customer_id", "INTEGER", True),
        ("total", "REAL", True),
    ]
    assert schema.columns[0].constraints.other == ["primary key"]
    assert schema.columns[1].description == "(customer_id) -> customer(id) (declared)"
    assert set(tables_of(small_config, "holders")) == {
        "landing/holders/record",
        "landing/holders/record__terms",
        "landing/holders/versions",
    }
    again = materialized(
        build(small_config, instance, only=[*LOADS, *tables, "landing/holders/record", "landing/holders/record__terms"])
    )
    assert "new_tables" not in again["landing/shop", None]
    assert again["landing/shop/customer", None]["dagster/row_count"] == 2


@pytest.mark.slow
def test_tables_come_and_go(small_config: Path, instance: dg.DagsterInstance) -> None:
    build(small_config, instance, only=LOADS)
    run(
        small_config,
        'CREATE TABLE "Order Details" (a, b, PRIMARY KEY (a, b)); DROP TABLE purchase; CREATE TABLE more AS SELECT 1 AS x',
    )
    small_config.write_text(small_config.read_text(encoding="utf-8") + "guard: {max_shrink: 1}\n", encoding="utf-8")
    found = materialized(build(small_config, instance, only=["landing/shop", "landing/shop/customer", "landing/shop/purchase"]))
    assert ("landing/shop/purchase", None) not in found
    assert ("landing/shop/customer", None) in found
    assert found["landing/shop/order_details", None]["dagster/table_name"] == "shop.order_details"
    assert "landing/shop/order_details, landing/shop/more" in found["landing/shop", None]["new_tables"]
    tables = tables_of(small_config, "shop")
    assert set(tables) == {"landing/shop/customer", "landing/shop/more", "landing/shop/order_details"}
    constraints = tables["landing/shop/order_details"].metadata["dagster/column_schema"].constraints
    assert constraints.other == ["primary key (a, b)"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 99, "sources": {"shop": {}}}', '{"version": 1, "sources": {"shop": {"tables": 1}}}']
)
def test_a_damaged_file_of_tables_does_not_take_the_ui_with_it(
    small_config: Path, instance: dg.DagsterInstance, content: str
) -> None:
    file = small_config.parent / "data" / "sources.json"
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    assert not tables_of(small_config, "shop")


def test_the_guard_of_a_load_is_a_check(small_config: Path, instance: dg.DagsterInstance) -> None:
    passed = checks(build(small_config, instance, only=LOADS))["landing/shop:guard"]
    assert passed.passed
    run(small_config, "DELETE FROM purchase")
    failed = checks(
        build(small_config, instance, ok=False, only=["landing/shop", "landing/shop/customer", "landing/shop/purchase"])
    )
    guard = failed["landing/shop:guard"]
    assert not guard.passed
    assert guard.severity == dg.AssetCheckSeverity.ERROR
    assert "rows vanished at once" in str(guard.metadata["refused"].value)


def test_a_refused_version_is_a_warning(small_config: Path, instance: dg.DagsterInstance) -> None:
    (small_config.parent / "holders" / "2015-01-01T000000Z.json").write_text("[]", encoding="utf-8")
    result = build(small_config, instance, only=LOADS)
    guard = checks(result)["landing/holders:guard"]
    assert not guard.passed
    assert guard.severity == dg.AssetCheckSeverity.WARN
    assert list(guard.metadata["refused_versions"].value) == ["2015-01-01T000000Z.json"]
    shown = {partition for key, partition in materialized(result) if key == "landing/holders/versions"}
    assert shown == {"2013-01-01T000000Z.json", "2014-01-01T000000Z.json"}


def test_keys_and_quarantine_of_a_source(small_config: Path, instance: dg.DagsterInstance) -> None:
    run(small_config, "INSERT INTO purchase VALUES (13, 99, 1.0)")
    run(
        small_config,
        "CREATE TABLE note (at TEXT PRIMARY KEY, text); INSERT INTO note VALUES (NULL, 'a'), (NULL, 'b'), (NULL, 'c')",
    )
    result = build(small_config, instance, only=[*LOADS, "graph/foreign_keys", "staging/row_statements", *BELIEF])
    found = checks(result)
    keys = found["landing/shop:keys_hold"]
    assert (keys.passed, keys.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert keys.metadata["keys"].value == 1
    assert keys.metadata["coverage"].value == ["purchase(customer_id) -> customer: 75.0 %"]
    assert found["landing/holders:keys_hold"].passed
    share = found["landing/shop:quarantine_share"]
    refused, statements = share.metadata["refused"].value, share.metadata["statements"].value
    assert refused == 3
    assert share.metadata["share"].value == pytest.approx(refused / (refused + statements))
    assert share.passed == (share.metadata["share"].value <= 0.2)
    assert found["landing/holders:quarantine_share"].metadata["refused"].value == 0

    table = materialized(result)["graph/foreign_keys", None]["keys"]
    records = {record.data["columns"]: record.data for record in table.records}
    assert records["purchase(customer_id)"] | {"used": True} == records["purchase(customer_id)"]
    assert (records["purchase(customer_id)"]["origin"], records["purchase(customer_id)"]["coverage"]) == ("declared", 0.75)


def versions_of(config: Path, instance: dg.DagsterInstance) -> set[str]:
    return instance.get_materialized_partitions(dg.AssetKey(["landing", "holders", "versions"]))


def load_versions(config: Path, instance: dg.DagsterInstance, first: str, last: str, *, ok: bool = True) -> None:
    """What a backfill of a range of partitions runs."""
    defs = build_defs(config_path=config)
    asset = defs.resolve_assets_def(dg.AssetKey(["landing", "holders", "versions"]))
    tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
    result = dg.materialize([asset], instance=instance, raise_on_error=False, run_config=QUIET, tags=tags)
    assert result.success is ok


def test_a_version_is_a_partition(small_config: Path, instance: dg.DagsterInstance) -> None:
    names = ["2013-01-01T000000Z.json", "2014-01-01T000000Z.json", "2015-01-01T000000Z.json", "2016-01-01T000000Z.json"]
    folder = small_config.parent / "holders"
    for name in names[2:]:
        (folder / name).write_bytes((folder / names[1]).read_bytes())
    project = Project.load(small_config)
    context = dg.build_sensor_context(instance=instance, resources={"project": project})
    data = sources_changed.evaluate_tick(context)
    assert [(request.partitions_def_name, list(request.partition_keys)) for request in data.dynamic_partitions_requests] == [
        ("holders_versions", names)
    ]
    instance.add_dynamic_partitions("holders_versions", names)

    load_versions(small_config, instance, names[1], names[1])
    assert versions_of(small_config, instance) == set(names[:2]), "a version is loaded with all before it"
    load_versions(small_config, instance, names[0], names[2])
    assert versions_of(small_config, instance) == set(names[:3])
    build(small_config, instance, only=["landing/holders", "landing/holders/record", "landing/holders/record__terms"])
    assert versions_of(small_config, instance) == set(names)

    (folder / "2017-01-01T000000Z.json").write_text("[]", encoding="utf-8")
    instance.add_dynamic_partitions("holders_versions", ["2017-01-01T000000Z.json", "gone"])
    load_versions(small_config, instance, "2017-01-01T000000Z.json", "2017-01-01T000000Z.json", ok=False)
    load_versions(small_config, instance, "gone", "gone", ok=False)
    assert versions_of(small_config, instance) == set(names)


def tick(project: Project, instance: dg.DagsterInstance, cursor: str | None) -> tuple[int, str | None]:
    data = sources_changed.evaluate_tick(
        dg.build_sensor_context(instance=instance, cursor=cursor, resources={"project": project})
    )
    return len(data.run_requests or []), data.cursor


def test_sources_changed(small_config: Path, instance: dg.DagsterInstance) -> None:
    for folder in ("more", "feeds"):
        (small_config.parent / folder).mkdir()
    text = small_config.read_text(encoding="utf-8")
    more = "  more: {type: files, path: 'more/*.csv'}\n"
    api = "  api: {type: rest, client: {base_url: 'http://127.0.0.1/'}, resources: [a]}\n"
    feed = "  feed: {type: dlt, source: 'feeds.shop:rows'}\n"
    text = text.replace("documents:\n", f"{more}{api}{feed}documents:\n", 1)
    small_config.write_text(text, encoding="utf-8")
    project = Project.load(small_config)
    count, cursor = tick(project, instance, None)
    assert count == 1
    for change in (
        lambda: run(small_config, "INSERT INTO customer VALUES (9, 'New')"),
        lambda: (small_config.parent / "holders" / "2015-01-01T000000Z.json").write_text("[]", encoding="utf-8"),
        lambda: (small_config.parent / "more" / "a.csv").write_text("x\n1\n", encoding="utf-8"),
        lambda: (small_config.parent / "more" / "a.csv").unlink(),
        lambda: (small_config.parent / "feeds" / "shop.py").write_text("", encoding="utf-8"),
    ):
        assert tick(project, instance, cursor)[0] == 0
        change()
        count, cursor = tick(project, instance, cursor)
        assert count == 1
    (small_config.parent / "press.json").write_text("{}", encoding="utf-8")  # the other sensor's
    assert tick(project, instance, cursor)[0] == 0


def test_a_file_that_is_no_version_does_not_stop_the_sensor(small_config: Path, instance: dg.DagsterInstance) -> None:
    (small_config.parent / "holders" / "notes.json").write_text("[]", encoding="utf-8")
    assert tick(Project.load(small_config), instance, None)[0] == 1


def test_a_repository_is_watched_by_its_refs(small_config: Path, instance: dg.DagsterInstance) -> None:
    text = small_config.read_text(encoding="utf-8")
    text = text.replace(
        '    path: holders/*.json\n    recorded_at: "%Y-%m-%dT%H%M%SZ"\n', "    git: {repository: repo, path: h.json}\n", 1
    )
    small_config.write_text(text, encoding="utf-8")
    head = small_config.parent / "repo" / ".git" / "refs" / "heads" / "main"
    head.parent.mkdir(parents=True)
    head.write_text("a" * 40, encoding="utf-8")
    project = Project.load(small_config)
    count, cursor = tick(project, instance, None)
    assert count == 1
    head.write_text("b" * 41, encoding="utf-8")
    assert tick(project, instance, cursor)[0] == 1


def test_what_has_no_files_is_not_watched(small_config: Path, instance: dg.DagsterInstance) -> None:
    config = json.dumps(
        {
            "version": 1,
            "ontology": {"files": ["core.ttl"]},
            "sources": {"server": {"type": "sql", "url": "postgresql://127.0.0.1/none"}},
        }
    )
    small_config.write_text(config, encoding="utf-8")
    assert tick(Project.load(small_config), instance, None) == (0, None)
