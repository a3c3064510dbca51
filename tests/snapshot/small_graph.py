"""A small warehouse, written row by row: people, companies, recorded offices with a correction, English and Chinese chunks.

Two clocks are used: instants of a recorded source (2013), and those of the store (`moment`, which a test may choose).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa

from stratagraph.project import Project

EX = "https://example.org/demo#"
OLD, FIXED = "2013-03-16 14:44:00+00", "2013-03-16 15:30:00+00"
STORE = datetime(2026, 1, 1, tzinfo=UTC)
ALWAYS, OPEN = "-infinity", "infinity"

CONFIG = """
version: 1
base_iri: https://example.org/graph/
ontology:
  files: [empty.ttl]
communities: {max_size: %(max_size)d, max_levels: 3}
snapshot: {history: %(history)s, keep: %(keep)d}
embedding: {dimensions: 64}
sql: [%(sql)s]
"""


def node_iri(name: str) -> str:
    return f"https://example.org/graph/{name}"


def begin_with(node_id: str, content: bytes) -> bytes:
    """The content hash of a row begins with that of its node."""
    return hashlib.md5(node_id.encode()).digest()[:8] + content[:8]


def sha(*parts: object) -> bytes:
    return hashlib.md5(repr(parts).encode()).digest()


@dataclass
class Rows:
    """Rows to insert into the graph tables."""

    moment: datetime = STORE
    tables: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)

    @property
    def now(self) -> str:
        return self.moment.isoformat()

    def add(self, table: str, *row: object) -> None:
        self.tables.setdefault(table, []).append(row)

    def node(
        self,
        name: str,
        class_: str,
        label: str,
        properties: dict[str, object] | None = None,
        *,
        valid: tuple[str, str] = (ALWAYS, OPEN),
        recorded: tuple[str, str] | None = None,
        facet: str = "demo/Things",
    ) -> None:
        start, end = recorded or (self.now, OPEN)
        content = begin_with(node_iri(name), sha(name, class_, label, properties, valid))
        body = (f"{EX}{class_}", label, json.dumps(properties or {}, sort_keys=True), *valid, start)
        if end == OPEN:
            self.add("nodes_open", "main", node_iri(name), facet, *body, 1.0, content, content)
        else:
            self.add("nodes_closed", "main", node_iri(name), facet, *body, end, 1.0, content, content)
        key = json.dumps({"name": name})
        self.said("node", node_iri(name), content, facet=facet, valid=valid, source_key=key, recorded=(start, end))

    def edge(
        self,
        subject: str,
        predicate: str,
        object_: str,
        *,
        fact: str | None = None,
        valid: tuple[str, str] = (ALWAYS, OPEN),
        recorded: tuple[str, str] | None = None,
        properties: dict[str, object] | None = None,
        quote: tuple[str, str] | None = None,
    ) -> str:
        start, end = recorded or (self.now, OPEN)
        edge_id = f"urn:edge:{subject}:{predicate}:{object_}"
        content = begin_with(node_iri(subject), sha(edge_id, fact, valid, properties))
        body = (
            node_iri(subject),
            f"{EX}{predicate}",
            node_iri(object_),
            fact,
            json.dumps(properties or {}, sort_keys=True),
            "asserted",
        )
        if end == OPEN:
            self.add("edges_open", "main", edge_id, *body, *valid, start, 1.0, content, content)
        else:
            self.add("edges_closed", "main", edge_id, *body, *valid, start, end, 1.0, content, content)
        key = json.dumps({"name": subject})
        self.said("edge", edge_id, content, valid=valid, quote=quote, source_key=key, recorded=(start, end))
        return edge_id

    def said(
        self,
        kind: str,
        row_id: str,
        content: bytes,
        *,
        facet: str = "",
        valid: tuple[str, str],
        quote: tuple[str, str] | None = None,
        source_key: str,
        recorded: tuple[str, str],
    ) -> None:
        statement, evidence = sha("statement", row_id, content), sha("evidence", row_id, content)
        source = "press" if quote else "demo"
        self.add(
            "statements",
            "main",
            statement,
            kind,
            row_id,
            "p",
            None,
            "{}",
            sha("{}"),
            "",
            "period",
            "assert",
            ALWAYS,
            OPEN,
            None,
            0,
            source,
            "Things",
            evidence,
            "rows",
            1.0,
            *recorded,
        )
        if quote:
            self.add("evidence", "main", evidence, "doc-press", quote[0], 0, len(quote[1]), quote[1], None, None)
        else:
            self.add("evidence", "main", evidence, None, None, None, None, None, "Things", source_key)
        self.add("claims", "main", kind, row_id, facet, content, statement, *valid, *recorded)

    def document(
        self, name: str, title: str, reference: str, chunks: list[tuple[str | None, str]], language: str = "en"
    ) -> None:
        text = "\n".join(chunk for _, chunk in chunks)
        row = (name, "press", f"{name}.txt", title, "document", "text/plain", language, reference, text, sha(text))
        self.add("documents", "main", *row, self.now, OPEN)
        at = 0
        for position, (speaker, chunk) in enumerate(chunks):
            span = (position, at, at + len(chunk), chunk, speaker, reference, language, sha(chunk))
            self.add("chunks", "main", f"{name}#{position}", name, *span, self.now, OPEN)
            at += len(chunk) + 1

    def insert(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.begin()
        for table, rows in self.tables.items():
            # Through Arrow, because a row at a time takes minutes; texts are cast to the columns' types on the way in.
            columns = {f"c{i}": list(values) for i, values in enumerate(zip(*rows, strict=True))}
            connection.register("incoming", pa.table(columns))
            connection.execute(f"INSERT INTO graph.{table} SELECT * FROM incoming")
            connection.unregister("incoming")
        connection.commit()


def small_rows(moment: datetime = STORE) -> Rows:
    rows = Rows(moment)
    for name, label in (("ada", "Ada Okafor"), ("bob", "Bob Lindqvist"), ("carol", "Carol Mensah"), ("dan", "Dan Petrov")):
        rows.node(name, "Person", label, {f"{EX}name": label})
    rows.node("acme", "Organization", "Acme Robotics", {f"{EX}industry": "robots"})
    rows.node("globex", "Organization", "Globex")
    rows.node("seattle", "Place", "Seattle")
    rows.edge("ada", "worksFor", "acme", valid=("2020-01-01 00:00:00+00", "2022-01-01 00:00:00+00"))
    rows.edge(
        "ada",
        "worksFor",
        "globex",
        valid=("2022-01-01 00:00:00+00", OPEN),
        fact="Ada Okafor works for Globex",
        quote=("doc-press#1", "Ada Okafor joined Globex"),
    )
    rows.edge("bob", "worksFor", "acme")
    rows.edge("carol", "worksFor", "globex")
    rows.edge("acme", "basedIn", "seattle")
    rows.edge("bob", "met", "carol", fact="Bob Lindqvist met Carol Mensah in Seattle")
    # A recorded source: the first version had Agnew as president, the next one corrects it.
    for name, label in (("agnew", "Spiro Agnew"), ("nixon", "Richard Nixon")):
        rows.node(name, "Person", label, recorded=(OLD, OPEN), facet="executive/record")
    for name, label in (("prez", "president"), ("viceprez", "vice president")):
        rows.node(name, "Office", label, recorded=(OLD, OPEN), facet="executive/record")
    term = ("1969-01-20 00:00:00+00", "1973-10-10 00:00:00+00")
    rows.edge("agnew", "holdsOffice", "prez", valid=term, recorded=(OLD, FIXED), properties={f"{EX}party": "Republican"})
    rows.edge("agnew", "holdsOffice", "viceprez", valid=term, recorded=(FIXED, OPEN), properties={f"{EX}party": "Republican"})
    rows.edge("nixon", "holdsOffice", "prez", valid=("1969-01-20 00:00:00+00", "1974-08-09 00:00:00+00"), recorded=(OLD, OPEN))
    for instant in (OLD, FIXED):
        rows.add("runs", "main", f"executive-{instant}", "run", "belief", "executive", instant, "recorded", "{}")
    rows.add("runs", "main", "rows-1", "run", "belief", "demo", rows.now, "store", "{}")
    rows.document(
        "doc-press",
        "Robotics weekly",
        "2022-02-01 00:00:00+00",
        [
            (None, "Acme Robotics opened a new plant near the harbour."),
            (None, "Last month Ada Okafor joined Globex as chief engineer."),
            (None, "The weather in Seattle stayed mild."),
        ],
    )
    rows.document(
        "chat-en",
        "Ada, 2023-05-08",
        "2023-05-08 00:00:00+00",
        [
            ("Ada", "I adopted a greyhound called Pixel."),
            ("AI companion", "Wonderful! How old is she?"),
            ("Ada", "She is three."),
        ],
    )
    rows.document(
        "chat-cn",
        "王小明, 2023-05-09",
        "2023-05-09 00:00:00+00",
        [("王小明", "我昨天在东京吃了寿司。"), ("AI companion", "听起来很棒！味道怎么样？")],
        language="zh",
    )
    for class_, label in (("Person", "person"), ("Organization", "organization"), ("Office", "office"), ("Place", "place")):
        rows.add("ontology_classes", "main", f"{EX}{class_}", f"{EX}{class_}", label)
    for predicate, label in (
        ("worksFor", "works for"),
        ("basedIn", "is based in"),
        ("holdsOffice", "holds office"),
        ("met", "met"),
    ):
        rows.add("ontology_properties", "main", f"{EX}{predicate}", label, predicate == "worksFor")
    secret = ("extraction", "ungrounded", "detail: hunter2", '{"password": "hunter2"}', "doc-press#1", "doc-press")
    rows.add("quarantine", "main", sha("q"), *secret, "run", rows.now)
    rows.add("identities", "main", "https://example.org/alias/ada", node_iri("ada"), "key", 1.0, "same key", rows.now, OPEN)
    return rows


def make_project(
    folder: Path,
    *,
    clock: datetime = STORE + timedelta(hours=1),
    max_size: int = 50,
    history: str = "full",
    keep: int = 5,
    sql: str = "",
) -> Project:
    """A project with an empty warehouse; its clock stands still."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "empty.ttl").write_text("", encoding="utf-8")
    values = {"max_size": max_size, "history": history, "keep": keep, "sql": sql}
    (folder / "stratagraph.yaml").write_text(CONFIG % values, encoding="utf-8")
    project = Project.load(folder / "stratagraph.yaml", clock=lambda: clock)
    with project.write():
        pass
    return project


def small_project(folder: Path, *, moment: datetime = STORE, **options: object) -> Project:
    """A project whose warehouse holds the small graph."""
    project = make_project(folder, **options)  # type: ignore[arg-type]
    with project.write() as connection:
        small_rows(moment).insert(connection)
    return project
