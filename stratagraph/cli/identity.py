"""`stratagraph identity`: which names and keys of sources stand for which entity, why, and what a user decides about it.

`list` reads a snapshot; the others ask and write the warehouse, since candidates are not published.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import config_option, json_option, known_at_option, limit_option, path_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.locks import alone
from stratagraph.sqlfiles import load_sql

if TYPE_CHECKING:
    from stratagraph.identity.decide import Decision, Known
    from stratagraph.project import Project

reason_option = click.option("--reason", default="", help="Why, for the history.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")


@click.group("identity")
def identity() -> None:
    """Which names and keys of sources stand for which entity, and who decided it.

    \b
    Examples:
      stratagraph identity list
      stratagraph identity candidates
    """


@identity.command("list")
@click.argument("id", metavar="[ID]", required=False)
@path_option
@known_at_option
@limit_option(100)
@json_option
def list_identities(id: str | None, path: Path | None, known_at: str | None, limit: int, as_json: bool) -> None:
    """List the names and keys that stand for an entity under another id, with the reason for each.

    With an ID (of an entity, or a ref), only those of that entity. A ref that is not listed stands for itself.

    \b
    Examples:
      stratagraph identity list
      stratagraph identity list https://example.org/graph/executive/B000444 --json
    """
    with opened(path) as snapshot:
        known = point(snapshot, None, known_at)["known_at"]
        parameters = {"known_at": known, "id": id}
        result = snapshot.sql(load_sql("cli", "list_identities"), parameters, limit)
    if as_json:
        print_json([dict(zip(result.columns, row, strict=True)) for row in result.rows])
    elif result.rows:
        out().print(table(result.columns, result.rows))
    else:
        err().print("None: every name and key stands for an entity of its own.")


@identity.command("explain")
@click.argument("one", metavar="ID")
@click.argument("other", metavar="ID")
@config_option
@json_option
def explain(one: str, other: str, config: Path | None, as_json: bool) -> None:
    """Say why two ids are one entity or two: names, attributes, neighbours and keys, what was decided, by whom and when.

    \b
    Example:
      stratagraph identity explain https://example.org/graph/crm/id=1 https://example.org/graph/hr/id=7
    """
    from stratagraph.identity.decide import explain as explain_identity

    found = explain_identity(_project(config), one, other)
    if as_json:
        print_json({
            "same": found.same, "nodes": [found.one.node_id, found.other.node_id], "verdict": found.verdict,
            "evidence": found.evidence, "decisions": found.decisions, "identities": found.identities,
        })  # fmt: skip
        return
    out().print(
        f"{'One entity' if found.same else 'Two entities'}: {_named(found.one)} and {_named(found.other)}.", markup=False
    )
    if found.verdict and found.evidence:
        verdict, evidence = found.verdict, found.evidence
        out().print(
            f"The rules say: {verdict['decision']} ({verdict['reason']}); probability {verdict['score']:.3f}. "
            f"The names are {evidence['names_are']}: {' / '.join(str(name) for name in evidence['names'])}.",
            markup=False,
        )
        compared = [(row["field"], row["a"], row["b"], row["bits"]) for row in evidence["fields"] or ()]
        against = [(row["field"], row["reason"], "", "") for row in evidence["contradictions"] or ()]
        if compared or against:
            out().print(table(("of both", "one says", "the other", "bits for it"), compared + against))
    for rows in (found.decisions, found.identities):
        if rows:
            out().print(table(list(rows[0]), [list(row.values()) for row in rows]))


@identity.command("merge")
@click.argument("one", metavar="ID")
@click.argument("other", metavar="ID")
@reason_option
@dry_run_option
@config_option
@json_option
def merge(one: str, other: str, reason: str, dry_run: bool, config: Path | None, as_json: bool) -> None:
    """Make two entities one: the second becomes the first, with all names and keys that stand for it.

    No key and no judge overturns it; `identity split` undoes it. It is published with the next build.

    \b
    Example:
      stratagraph identity merge https://example.org/graph/crm/id=1 https://example.org/graph/hr/id=7 --reason "same passport"
    """
    from stratagraph.identity.decide import merge as merge_identities

    with _alone(config) as project:
        done = merge_identities(project, one, other, reason or "decided by a user", dry_run=dry_run)
    _show(done, "They are one already.", dry_run, as_json)


@identity.command("split")
@click.argument("ref", metavar="REF")
@reason_option
@dry_run_option
@config_option
@json_option
def split(ref: str, reason: str, dry_run: bool, config: Path | None, as_json: bool) -> None:
    """Take a name or key out of the entity it stands for, with all that came to it with it. Nothing automatic undoes it.

    \b
    Example:
      stratagraph identity split https://example.org/graph/hr/id=7 --reason "namesakes"
    """
    from stratagraph.identity.decide import split as split_identity

    with _alone(config) as project:
        done = split_identity(project, ref, reason or "decided by a user", dry_run=dry_run)
    _show(done, "", dry_run, as_json)


@identity.command("candidates")
@click.argument("ids", metavar="[ID [ID]]", nargs=-1)
@click.option("--yes", "same", flag_value="yes", help="The two IDs are one entity.")
@click.option("--no", "same", flag_value="no", help="The two IDs are two entities, whatever is found.")
@click.option(
    "--decision", type=click.Choice(("open", "merge", "apart", "any")), default="open", show_default=True, help="Which to list."
)
@reason_option
@limit_option(100)
@config_option
@json_option
def candidates(
    ids: tuple[str, ...], same: str | None, decision: str, reason: str, limit: int, config: Path | None, as_json: bool
) -> None:
    """List pairs of entities that may be one and wait for a decision, the likeliest first; or decide about one.

    \b
    Examples:
      stratagraph identity candidates
      stratagraph identity candidates https://example.org/graph/crm/id=1 https://example.org/graph/hr/id=7 --no
    """
    from stratagraph.identity.decide import keep_apart, list_candidates
    from stratagraph.identity.decide import merge as merge_identities

    if len(ids) > (2 if same else 1) or (same and len(ids) != 2):
        raise click.UsageError(
            "--yes and --no need the two ids of a pair" if same else "give one id, or two with --yes or --no"
        )
    if same:
        with _alone(config) as project:
            if same == "no":
                keep_apart(project, ids[0], ids[1], reason or "decided by a user")
                err().print("They are two; nothing makes them one but `identity merge`.")
            else:
                done = merge_identities(project, ids[0], ids[1], reason or "decided by a user")
                _show(done, "They are one already.", False, as_json)
        return
    rows = list_candidates(_project(config), None if decision == "any" else decision, ids[0] if ids else None)[:limit]
    if as_json:
        print_json(rows)
    elif rows:
        shown = [name for name in rows[0] if name not in ("evidence", "recorded_from")]
        out().print(table(shown, [[row[name] for name in shown] for row in rows]))
    else:
        err().print("None." if decision != "open" else "No pair of entities waits for a decision.")


def _project(config: Path | None) -> Project:
    from stratagraph.project import Project

    return Project.load(config_path(config))


@contextmanager
def _alone(config: Path | None) -> Iterator[Project]:
    """The project, while no build of it runs."""
    project = _project(config)
    with alone(project.data_dir / "build.lock", _waiting):
        yield project


def _waiting(process: str) -> None:
    err().print(f"A build (process {process}) is running; waiting for it to end.")


def _named(known: Known) -> str:
    called = f"{known.label} ({known.node_id})" if known.label else known.node_id
    return called if known.ref == known.node_id else f"{known.ref}, which stands for {called},"


def _show(done: Decision, nothing: str, dry_run: bool, as_json: bool) -> None:
    """What a decision changed, or would change."""
    if as_json:
        counts: dict[str, Any] = {name: value for name, value in vars(done.counts).items() if value and name != "reasons"}
        refs = [{"ref": ref, "node_id": node_id} for ref, node_id in done.refs]
        print_json({"changed": done.changed and not dry_run, "refs": refs, "counts": counts})
    elif not done.changed:
        err().print(nothing)
    else:
        out().print(table(("ref", "stands from now on for" if not dry_run else "would stand for"), done.refs))
        if not dry_run:
            err().print(f"{done.counts.rows_written} rows of belief opened or closed. `stratagraph build` publishes it.")
