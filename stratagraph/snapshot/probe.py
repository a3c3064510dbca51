"""Tries a finished snapshot before it is published: as a reader would, with questions whose answers are known."""

from __future__ import annotations

from pathlib import Path

from stratagraph.errors import SnapshotError
from stratagraph.search.analysis import query_terms
from stratagraph.snapshot import layout
from stratagraph.snapshot.reader import open_snapshot
from stratagraph.sqlfiles import load_sql, qualified


def probe(folder: Path) -> None:
    """Raise if the snapshot cannot be read back: files, counts, a search per kind, an as-of query."""
    manifest = layout.read_manifest(folder)
    if damaged := layout.damaged_files(folder, manifest, contents=True):
        raise SnapshotError(f"files were not written whole: {', '.join(damaged)}", where=str(folder), hint="is the disk full?")
    with open_snapshot(folder) as snapshot:
        for table, expected in sorted(manifest["rows"].items()):
            count = snapshot.sql(load_sql("snapshot", "count_rows", table=qualified("graph", table))).rows[0][0]
            if count != expected:
                raise SnapshotError(f"{table} has {count} of {expected} rows", where=str(folder))
        for kind, text in snapshot.sql(load_sql("snapshot", "select_probes")).rows:
            hits = snapshot.search(text, kinds=[kind], valid_at="any", known_at="any", limit=1)
            if query_terms(text) and not hits:
                raise SnapshotError(f"the index finds no {kind}", where=str(folder))
        point = {"valid_at": manifest["valid_at"], "known_at": manifest["known_at"]}
        snapshot.sql(load_sql("snapshot", "count_as_of"), point)
