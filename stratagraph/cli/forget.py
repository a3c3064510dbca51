"""`stratagraph forget`: erases an entity, a document or a record, for good and everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.errors import WarehouseError
from stratagraph.locks import alone

if TYPE_CHECKING:
    from stratagraph.project import Project

Kind = Literal["subject", "document", "source_record"]
_WHAT = {"subject": "the entity", "document": "the document", "source_record": "the record"}


@click.command("forget")
@click.argument("id", metavar="ID|DOCUMENT")
@click.option("--hard", is_flag=True, help="Erase it everywhere, for all time. It cannot be undone.")
@click.option(
    "--kind",
    type=click.Choice(("subject", "document", "source_record")),
    help="What the ID is of. Default: a document if there is one of this id, else an entity.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@config_option
@json_option
def forget(id: str, hard: bool, kind: Kind | None, yes: bool, config: Path | None, as_json: bool) -> None:
    """Erase an entity, a document or a record from every table, index, snapshot and file of this project.

    ID is what search prints: the id of an entity (all names and keys that stand for it go with it, and all relations to it),
    the id of a document (with all that was read from it), or a record of a source as the quarantine names it,
    'source/Table {"key":value}'. A tombstone without content keeps it from coming back. Sources are not touched: delete it
    there as well.

    \b
    Examples:
      stratagraph forget https://example.org/graph/shop/employees/id=1 --hard
      stratagraph forget https://example.org/graph/document/notes/2022.md --hard --yes
    """
    if not hard:
        raise click.UsageError(
            "forgetting softly (withdrawn, and kept in history) comes with the memory of agents and is not there yet; "
            "--hard erases for good"
        )
    from stratagraph.forget import forget as forget_hard
    from stratagraph.project import Project

    project = Project.load(config_path(config))
    with alone(project.data_dir / "build.lock", _waiting):
        found = kind or _kind(project, id)
        if not yes:
            question = f"Erase {_WHAT[found]} {id} from {project.data_dir}, for good?"
            click.confirm(question, abort=True, err=True)
        done = forget_hard(project, found, id)
    if not done.counts.known:
        raise WarehouseError(
            "nothing is known under this id", where=id, hint="`stratagraph search` prints ids; nothing was changed"
        )
    if as_json:
        print_json(
            {
                "id": id,
                "kind": found,
                "counts": done.counts.metadata(),
                "snapshots_removed": done.removed,
                "snapshot": done.snapshot,
            }
        )
        return
    rows = [(name, value) for name, value in done.counts.metadata().items() if value and name != "known"]
    out().print(table(("erased", "rows"), rows) if rows else "It was erased before; all files are in line with that.")
    if done.removed:
        err().print(f"Snapshots that held it, and are gone: {len(done.removed)}. {done.snapshot} stands instead.", markup=False)
    err().print("If a source still holds it, delete it there as well: until then every load passes over it again.")


def _kind(project: Project, id: str) -> Kind:
    """What an id is of, where nobody said."""
    from stratagraph.forget import is_document

    return "document" if is_document(project, id) else "subject"


def _waiting(process: str) -> None:
    err().print(f"A build (process {process}) is running; waiting for it to end.")
