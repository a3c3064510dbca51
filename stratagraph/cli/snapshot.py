"""`stratagraph snapshot`: lists published snapshots and verifies their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from stratagraph.cli.opened import latest_folder
from stratagraph.cli.options import json_option, path_option
from stratagraph.cli.output import err, out, print_json, short_time, table
from stratagraph.errors import SnapshotError


@click.group("snapshot")
def snapshot() -> None:
    """List and verify published snapshots.

    \b
    Example:
      stratagraph snapshot verify
    """


@snapshot.command("list")
@path_option
@json_option
def list_snapshots(path: Path | None, as_json: bool) -> None:
    """List the snapshots that are kept, the latest marked.

    \b
    Example:
      stratagraph snapshot list --json
    """
    from stratagraph.snapshot.layout import MANIFEST

    latest = latest_folder(path)
    found = []
    for manifest in sorted(latest.parent.glob(f"*/{MANIFEST}")):
        try:
            found.append(_summary(manifest.parent, latest))
        except SnapshotError as error:  # one that is damaged or newer must not hide the others
            err().print(str(error), markup=False)
    found.sort(key=lambda entry: (str(entry["known_at"]), str(entry["id"])))
    if as_json:
        print_json(found)
        return
    rows = [
        (
            "*" if entry["latest"] else "",
            entry["id"],
            short_time(entry["known_at"]),
            f"{entry['bytes'] / 1e6:.1f}",
            entry["path"],
        )
        for entry in found
    ]
    out().print(table(("latest", "id", "known at", "MB", "path"), rows))


@snapshot.command("verify")
@click.argument("id", metavar="[ID]", required=False)
@path_option
@json_option
@click.pass_context
def verify(ctx: click.Context, id: str | None, path: Path | None, as_json: bool) -> None:
    """Compare every file of a snapshot (default: the latest) with the sha256 in its manifest. Exit code 1 if any differs.

    \b
    Example:
      stratagraph snapshot verify --path data/snapshots
    """
    from stratagraph.snapshot.layout import read_manifest

    folder = latest_folder(path)
    if id is not None:
        if Path(id).name != id or not (folder.parent / id).is_dir():
            raise SnapshotError(
                f"there is no snapshot {id}", where=str(folder.parent), hint="`stratagraph snapshot list` shows them"
            )
        folder = folder.parent / id
    files = _verify(folder, read_manifest(folder)["files"])
    damaged = [entry for entry in files if entry["state"] != "ok"]
    if as_json:
        print_json({"id": folder.name, "path": str(folder), "ok": not damaged, "files": files})
    else:
        shown = damaged or [{"file": f"all {len(files)} files", "state": "ok"}]
        out().print(table(("file", "state"), [(entry["file"], entry["state"]) for entry in shown], title=folder.name))
        if damaged:
            err().print("  -> publish again (`stratagraph build`), or pull the snapshot once more")
    ctx.exit(1 if damaged else 0)


def _summary(folder: Path, latest: Path) -> dict[str, Any]:
    from stratagraph.snapshot.layout import read_manifest

    manifest = read_manifest(folder)
    return {
        "id": manifest["snapshot_id"],
        "known_at": manifest["known_at"],
        "latest": folder.resolve() == latest.resolve(),
        "bytes": sum(entry["bytes"] for entry in manifest["files"].values()),
        "rows": manifest["rows"],
        "path": str(folder),
    }


def _verify(folder: Path, files: dict[str, Any]) -> list[dict[str, str]]:
    """The state of each file of the manifest: ok, missing or changed. Other files (locks) are no part of a snapshot."""
    from stratagraph.snapshot.layout import file_hash

    states: dict[str, str] = {}
    with Progress(console=err(), transient=True) as progress:
        for name in progress.track(sorted(files), description="Verifying"):
            file = folder / name
            if not file.is_file():
                states[name] = "missing"
            else:
                states[name] = "ok" if file_hash(file) == files[name]["sha256"] else "changed"
    return [{"file": name, "state": states[name]} for name in sorted(states)]
