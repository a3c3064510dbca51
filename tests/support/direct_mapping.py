"""The W3C's cases of the Direct Mapping: scripts as a database takes them, graphs that are compared as they are written."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path

import rdflib
from rdflib.compare import graph_diff, isomorphic, to_isomorphic

from stratagraph.sources.direct_map import write_direct_map

BASE = "http://example.com/base/"
FOLDER = Path(__file__).resolve().parents[1] / "data" / "w3c_direct_mapping"
CASES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def script(case: str) -> str:
    """A case's SQL as SQLite takes it: without a byte order mark, N'text' and 0xFF, constraints behind the columns."""
    text = (FOLDER / case / "create.sql").read_text(encoding="utf-8-sig")
    text = re.sub(r"\b0x([0-9A-F]+)", r"X'\1'", re.sub(r"\bN'", "'", text))
    return re.sub(r"(CREATE TABLE [^(]+)\((.*?)\);", _constraints_last, text, flags=re.DOTALL)


def _constraints_last(found: re.Match[str]) -> str:
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", found[2])]
    parts.sort(key=lambda part: part.startswith(("PRIMARY KEY", "UNIQUE", "FOREIGN KEY")))  # stable
    return f"{found[1]}({', '.join(parts)});"


def postgres_script(case: str) -> str:
    """The same for PostgreSQL, which has other names for some types and enforces all of them."""
    text = re.sub(r"\bX'([0-9A-F]+)'", r"'\\x\1'", script(case))
    for theirs, ours in {"NVARCHAR": "VARCHAR", "datetime": "TIMESTAMP", "VARBINARY": "BYTEA", "bit": "BOOLEAN"}.items():
        text = re.sub(rf"\b{theirs}\b(?!\()" if theirs != "VARBINARY" else r"\bVARBINARY\s*\(\d+\)", ours, text)
    text = re.sub(r"\bNVARCHAR\b", "VARCHAR", text)
    return re.sub(r"(:\d\d'),([01]),", r"\1,'\2',", text)  # a boolean is no number


def expected(case: str) -> rdflib.Graph:
    return parsed((FOLDER / case / "directGraph.ttl").read_text(encoding="utf-8-sig"), "turtle")


def parsed(text: str, format: str) -> rdflib.Graph:
    """A graph whose literals keep their lexical forms; rdflib would make 80.25 of 8.025E1."""
    before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    try:
        return rdflib.Graph().parse(data=text, format=format, publicID=BASE)
    finally:
        rdflib.NORMALIZE_LITERALS = before


def mapped(url: str, **options: object) -> str:
    """The N-Triples of a database."""
    out = BytesIO()
    result = write_direct_map(out, url, BASE, **options)  # type: ignore[arg-type]
    text = out.getvalue().decode()
    assert result.triples == text.count("\n")
    return text


def sqlite_url(folder: Path, text: str) -> str:
    file = folder / "mapped.db"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(text)
        connection.commit()
    return f"sqlite:///{file}"


def assert_same(text: str, wanted: rdflib.Graph) -> None:
    """Isomorphic graphs; what only one of them has is shown."""
    found = parsed(text, "nt")
    if isomorphic(found, wanted):
        return
    _, missing, extra = graph_diff(to_isomorphic(wanted), to_isomorphic(found))
    raise AssertionError(f"missing:\n{missing.serialize(format='nt')}\nextra:\n{extra.serialize(format='nt')}")
