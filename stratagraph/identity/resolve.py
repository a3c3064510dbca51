"""Decides which refs of the sources stand for one thing, and records why (design section 8).

Two kinds of evidence within a commit: identifying keys that one record carries together, and the exact normalised name within
compatible classes for what was read from text. Nothing is merged on similarity here: that is `candidates`. Two different
values of one identifying key are never merged, whatever connects them; that is listed in `graph.conflicts`. Belief is derived
again by the caller.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from stratagraph.identity.names import normalise_name
from stratagraph.temporal.steps import Steps


def register_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Make `normalise_name` callable from SQL on this connection (vectorised over Arrow). Not within a transaction."""
    import pyarrow

    # Any, because duckdb evaluates these annotations in the module's namespace and pyarrow is imported late.
    def normalise(names: Any) -> Any:
        return pyarrow.array([None if name is None else normalise_name(name) for name in names.to_pylist()], pyarrow.string())

    # A second registration on a connection is refused, which is as good as the first.
    with suppress(duckdb.NotImplementedException):
        connection.create_function(
            "normalise_name",
            normalise,
            ["VARCHAR"],
            "VARCHAR",
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )


def resolve_identities(steps: Steps, *, store_now: datetime, identity_at: datetime) -> int:
    """Bring `graph.identities` up to date with a batch; the number of refs that change their node.

    Reads the step tables mapping, staged_links, arrivals, normalised and withdrawn. Leaves: mapping_before and mapping (ref ->
    node before and after), identity_changes, and moved (the live statements that mention a ref whose node changed).
    """
    steps.keep("mapping_before", "temporal", "select_mapping")
    _match_keys(steps, identity_at)
    _match_names(steps)
    steps.keep("identity_changes", "identity", "select_identity_changes", {"store_now": store_now, "identity_at": identity_at})
    return _move(steps)


def assign_nodes(steps: Steps, *, dataset: str, store_now: datetime) -> int:
    """Give the refs of the step table `assigned` to nodes; leaves what `resolve_identities` does.

    Its columns are ref, node_id and reason: a user's decisions; or method and score as well, where a judge decided.
    """
    steps.keep("mapping_before", "temporal", "select_mapping")
    if "method" in steps.connection.table("assigned").columns:
        steps.keep("decisions", "identity", "select_decisions", {"dataset": dataset})
    else:
        steps.keep("decisions", "identity", "select_user_decisions")
    parameters = {"dataset": dataset, "store_now": store_now}
    steps.keep("identity_changes", "identity", "select_assigned_identities", parameters)
    return _move(steps)


def _match_keys(steps: Steps, identity_at: datetime) -> None:
    """Keep `key_identities`: refs that an identifying key gives to another node."""
    steps.keep("link_pairs", "identity", "select_link_pairs")
    if steps.count("link_pairs") == 0:
        steps.keep("key_identities", "identity", "select_no_identities")
        return
    steps.keep("ambiguous_aliases", "identity", "select_ambiguous_aliases")
    steps.keep("group_links", "identity", "select_group_links")
    steps.keep("unsettled_nodes", "identity", "select_unsettled_nodes")
    steps.keep("node_pairs", "identity", "select_node_pairs")
    keep_components(steps, nodes="unsettled_nodes", pairs="node_pairs")
    steps.keep("members", "identity", "select_members")
    steps.keep("split_components", "identity", "select_split_components")
    steps.keep("key_identities", "identity", "select_key_identities")
    steps.apply("identity", "insert_identity_conflicts", {"identity_at": identity_at})


def _match_names(steps: Steps) -> None:
    """Keep `name_identities`: refs from text that have the exact normalised name of one structured thing."""
    possible = steps.row("identity", "count_names")
    if not possible["nodes"] or not possible["text_refs"]:
        steps.keep("name_identities", "identity", "select_no_identities")
        return
    steps.keep("named_arrivals", "identity", "select_named_arrivals")
    steps.keep("name_refs", "identity", "select_name_refs")
    steps.keep("name_identities", "identity", "select_name_identities")


def _move(steps: Steps) -> int:
    """Write `identity_changes` and keep the statements that they move."""
    changes = steps.count("identity_changes")
    if changes == 0:
        steps.keep("moved", "temporal", "select_no_statements")
        return 0
    steps.keep("moved", "temporal", "select_moved")
    steps.apply("identity", "close_identities")
    steps.apply("identity", "insert_identities")
    steps.keep("mapping", "temporal", "select_mapping")
    return changes


def keep_components(steps: Steps, *, nodes: str, pairs: str) -> None:
    """Connected components, as the step table components(number, component), of numbered nodes and pairs (a, b) of numbers."""
    import igraph
    import numpy
    import pyarrow

    linked = steps.connection.table(pairs).to_arrow_table()
    size = steps.count(nodes)
    edges: Any = numpy.column_stack([linked["a"].to_numpy(), linked["b"].to_numpy()]) if linked.num_rows else []
    membership = igraph.Graph(n=size, edges=edges).connected_components().membership
    numbers = {"number": pyarrow.array(range(size), pyarrow.int64()), "component": pyarrow.array(membership, pyarrow.int64())}
    table = pyarrow.table(numbers)
    steps.connection.register("components_input", table)
    steps.keep("components", "temporal", "select_staged", relation="components_input")
    steps.connection.unregister("components_input")
