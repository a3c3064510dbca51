"""The definitions as a user sees them: nothing without a description, an owner, a kind, a group; no writer without a pool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from assets.stage import POOL
from dagster_project.build import build_defs
from stratagraph.errors import ConfigError
from stratagraph.temporal.audit import AUDITS

ALONE = {dg.AssetKey(["landing", "holders", "versions"]), dg.AssetKey(["staging", "answers"])}  # what has partitions
CHECKOUT = Path(__file__).parents[2]
HEAVY = (
    "dlt",
    "owlready2",
    "rdflib",
    "openai",
    "igraph",
    "networkx",
    "polars",
    "sqlalchemy",
    "pyarrow",
    "tantivy",
    "wordllama",
)


@pytest.fixture
def defs(small_config: Path) -> dg.Definitions:
    return build_defs(config_path=small_config)


def test_every_asset_says_what_it_is(defs: dg.Definitions) -> None:
    specs = list(defs.resolve_all_asset_specs())
    assert len(specs) >= 14
    for spec in specs:
        name = spec.key.to_user_string()
        assert spec.description, name
        assert spec.owners == ["team:memory"], name
        assert spec.kinds, name
        assert spec.group_name not in (None, "default"), name
        assert spec.code_version, name


def test_groups_follow_the_flow(defs: dg.Definitions) -> None:
    groups: dict[str, set[str]] = {}
    for spec in defs.resolve_all_asset_specs():
        groups.setdefault(str(spec.group_name), set()).add(spec.key.to_user_string())
    assert groups["sources"] == {
        "landing/shop",
        "landing/holders",
        "landing/holders/versions",
        "landing/documents",
        "graph/foreign_keys",
    }
    assert groups["documents"] == {"graph/chunks"}
    assert groups["ontology"] == {"graph/ontology"}
    assert groups["statements"] == {
        "staging/row_statements", "staging/document_statements", "staging/text_statements", "staging/answers"
    }  # fmt: skip
    tables = ("statements", "identities", "nodes", "edges", "identity_candidates")
    assert groups["belief"] == {f"graph/{table}" for table in tables}
    assert groups["communities"] == {"graph/communities"}
    assert groups["publish"] == {"publish/search_index", "publish/snapshot"}


def test_everything_depends_on_its_sources(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    snapshot = dg.AssetKey(["publish", "snapshot"])
    assert graph.get_ancestor_asset_keys(snapshot) == graph.get_all_asset_keys() - {snapshot, *ALONE}


def test_the_job_needs_nothing_that_it_does_not_make(defs: dg.Definitions) -> None:
    """The page would ask whether that is meant, each time before the first run."""
    graph = defs.resolve_asset_graph()
    made = set(defs.resolve_job_def("build").asset_layer.executable_asset_keys)
    assert made == graph.get_all_asset_keys() - ALONE
    assert {parent for key in made for parent in graph.get(key).parent_keys} <= made


def test_what_opens_a_duckdb_file_has_a_pool(defs: dg.Definitions) -> None:
    jobs = defs.get_repository_def().get_all_jobs()  # the one of all assets too, with those that have partitions
    pools = {op.name: op.pool for job in jobs for op in job.graph.iterate_op_defs()}
    assert len(pools) >= 18
    assert {name for name, pool in pools.items() if pool != POOL} == {"ask_bucket", "ask_partition"}  # they open no such file


def test_checks_block_as_meant(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    blocking = {key.name: graph.get_check_spec(key).blocking for key in graph.asset_check_keys}
    descriptions = {key.name: graph.get_check_spec(key).description for key in graph.asset_check_keys}
    assert blocking == dict.fromkeys(AUDITS, True) | {
        "snapshot_verifies": True,
        "dangling_edges": False,
        "quarantine_share": False,
        "chunks_read": False,
        "mentions_found": False,
        "below_ceilings": False,
        "keys_hold": False,
        "guard": False,
        "candidates_wait": False,
    }
    assert all(descriptions.values())


def test_schedule_is_the_configs(defs: dg.Definitions) -> None:
    schedule = defs.resolve_schedule_def("build_on_schedule")
    assert (schedule.cron_schedule, schedule.execution_timezone, schedule.job_name) == ("15 4 * * *", "UTC", "build")
    with dg.DagsterInstance.ephemeral() as instance:
        tick = schedule.evaluate_tick(dg.build_schedule_context(instance=instance))
    assert len(tick.run_requests or []) == 1


def test_import_is_light_and_opens_nothing(small_config: Path) -> None:
    (small_config.parent / "shop.db").unlink()
    code = "import sys; import dagster_project.definitions; print([name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, *HEAVY],
        cwd=CHECKOUT,
        env={"STRATAGRAPH_CONFIG": str(small_config), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    assert not (small_config.parent / "data").exists()


def test_a_bad_config_is_named_at_load(small_config: Path) -> None:
    small_config.write_text(small_config.read_text(encoding="utf-8").replace("cron:", "corn:"), encoding="utf-8")
    with pytest.raises(ConfigError, match="corn"):
        build_defs(config_path=small_config)
