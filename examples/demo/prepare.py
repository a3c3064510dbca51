"""Builds what the demo needs and a clone does not have: the database northwind.db, from northwind/create.sql.

Needs nothing but Python. Run again, it does nothing while the script is as it was. The database goes to data/ of the
checkout, where the demo's config looks for it, whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "northwind" / "create.sql"


def build(data_dir: Path) -> Path:
    """Build northwind.db in a directory, unless it was built from the same script."""
    database, stamp = data_dir / "northwind.db", data_dir / "northwind.db.sha256"
    script = SCRIPT.read_bytes()
    wanted = hashlib.sha256(script).hexdigest()
    if database.is_file() and stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
        return database
    data_dir.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    temporary = data_dir / f"northwind.db.{os.getpid()}.tmp"
    temporary.unlink(missing_ok=True)
    with closing(sqlite3.connect(temporary)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # a file that is not whole is not kept
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.executescript(script.decode("utf-8"))
        connection.commit()
    temporary.replace(database)
    stamp.write_text(wanted, encoding="ascii")
    return database


if __name__ == "__main__":
    build(HERE.parent.parent / "data")
