"""A store and the oracle, told the same story batch by batch, and the comparison of what they believe.

The oracle's integers are days on both clocks. What a statement says is written so that every part of a value counts: the class,
the label, a property, the object of a relation.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import duckdb
import oracle
import pyarrow as pa
from oracle import BEGIN, END, Chain, Exclusion, Implication, Key, Logged, Oracle, Said, World
from vectors import table
from warehouse import edge, node

from stratagraph.ontology.model import Ontology
from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import LINK_COLUMNS
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import CommitCounts, apply_rules, assign_identities, commit

VALID_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
KNOWN_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
FACETS = ("f", "g")
RELATIONS = ("urn:p:many", "urn:p:single")

# The letters a statement's value is named by: (class, label or fact, properties).
VALUES: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "a": ("urn:P", "A", {}),
    "b": ("urn:P", "A", {"urn:x": 1, "urn:y": ["p", None]}),
    "c": ("urn:Q", "A", {}),
    "d": ("urn:P", None, {}),
}
EDGE_VALUES = {"a": (None, {}), "b": (None, {"urn:x": 1, "urn:y": "2"}), "c": ("said", {}), "d": ("said", {"urn:x": 1})}
TABLES = ("statements", "evidence", "nodes_open", "nodes_closed", "edges_open", "edges_closed", "support", "claims",
          "identities", "conflicts", "quarantine")  # fmt: skip


def instant(epoch: datetime, day: int | None) -> str | None:
    if day is None or abs(day) == END:
        return None if day is None else "infinity" if day == END else "-infinity"
    return (epoch + timedelta(days=day)).isoformat()


def statement(said: Said, rng: random.Random) -> dict[str, Any]:
    """The row that says it, its properties in random order: that does not belong to a statement's identity."""
    refused = said.until is not None and said.until < said.start  # its text is kept word for word
    order = random.Random(0) if refused else rng
    if said.slot in FACETS:
        cls, label, properties = VALUES[said.value or "a"]
        stated = node(said.subject, label, cls, said.slot, properties=shuffled(properties, order))
    else:
        fact, properties = EDGE_VALUES[said.value or "a"]
        stated = edge(said.subject, said.slot, said.target or "", fact=fact, properties=shuffled(properties, order))
        stated["object"] = said.target
    return stated | {
        "dataset": said.dataset,
        "mode": "event" if said.until is None else "period",
        "polarity": "retract" if said.value is None else "assert",
        "valid_from": instant(VALID_EPOCH, said.start),
        "valid_to": instant(VALID_EPOCH, said.until),
        "observed_at": instant(KNOWN_EPOCH, said.observed),
        "sequence": said.sequence,
        "confidence": 0.5 if said.sequence % 2 else 1.0,
        "source": said.source,
        "scope": said.source,
        "source_key": json.dumps(said),
    }


def open_store(threads: int) -> duckdb.DuckDBPyConnection:
    """An empty store in memory."""
    connection = duckdb.connect(config={"threads": threads})
    connection.execute(load_sql("schema", "configure_session"))
    for name in SCHEMA_FILES:
        connection.execute(load_sql("schema", name))
    return connection


def links_table(links: Sequence[tuple[str, str, str, str]], dataset: str) -> pa.Table:
    """Links as (ref, ref_key, alias, alias_key)."""
    rows = [dict(zip(LINK_COLUMNS, (dataset, *link, "key"), strict=True)) for link in links]
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in LINK_COLUMNS]))


def shuffled(properties: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    return dict(rng.sample(list(properties.items()), k=len(properties)))


class Story:
    """One store and one oracle."""

    def __init__(
        self,
        threads: int = 2,
        single: Sequence[str] = ("urn:p:single",),
        datasets: Sequence[str] = ("main",),
        implications: Sequence[Implication] = (),
        exclusions: Sequence[Exclusion] = (),
        ontology: Ontology | None = None,
    ) -> None:
        self.connection = open_store(threads)
        self.oracle = Oracle()
        self.now = 0
        self.told: list[str] = []
        self.datasets = tuple(datasets)
        if ontology:
            self.oracle.chains = [Chain(chain, p.iri) for p in ontology.properties.values() for chain in p.chains]
            self.oracle.chains += [Chain((p.iri, p.iri), p.iri) for p in ontology.properties.values() if p.transitive]
            implications = [Implication(*rule) for rule in ontology.implications()]
        self.compositions = ontology.compositions() if ontology else []
        self.oracle.implications = list(implications)
        for dataset in datasets:
            for rule in implications:
                self.connection.execute("INSERT INTO graph.ontology_implications VALUES (?, ?, ?, ?)", [dataset, *rule])
            for composition in self.compositions:
                self.connection.execute("INSERT INTO graph.ontology_compositions VALUES (?, ?, ?, ?)", [dataset, *composition])
        self._rules: list[tuple[int, frozenset[str], frozenset[Exclusion]]] = []
        self.exclusions = frozenset(exclusions)
        self.change_rules(single)
        self._rules = [(BEGIN, frozenset(single), self.exclusions)]  # a recorded past had the same rules
        self._read_worlds()

    # --- what happens -----------------------------------------------------------------------------------------------

    def tell(
        self, batch: Sequence[Said], *, source: str, dataset: str = "main", complete: bool = False, recorded: int | None = None,
        links: Sequence[tuple[str, str, str, str]] = (), bad: Sequence[tuple[str, dict[str, Any]]] = (),
        rng: random.Random | None = None,
    ) -> CommitCounts:  # fmt: skip
        """Commit a batch in random row order, and tell the oracle."""
        rng = rng or random.Random(0)
        self.now += 1
        refused = [item for item in batch if item.until is not None and item.until < item.start]
        empty = [item for item in batch if item.start == (END if item.until is None else item.until)]
        how = ("complete " if complete else "") + ("" if recorded is None else f"recorded at {recorded} ")
        self.told.append(f"-- {self.now}: {how}batch of {source} in {dataset} {[*links] or ''}")
        self.told += [f"   {item}" for item in batch]
        rows = [statement(item, rng) for item in batch] + [row | {"source": source, "dataset": dataset} for _, row in bad]
        rng.shuffle(rows)
        counts = self.commit(rows, source=source, dataset=dataset, complete=complete, recorded=recorded, links=links)
        if links:
            self._read_worlds()
        world = self.oracle.worlds[-1][1]
        dates = self._dates(world, source, recorded)
        before = self.oracle.log
        self.oracle.log = oracle.record(before, batch, world, dataset, source, complete, dates)
        reasons = Counter([reason for reason, _ in bad] + ["reversed_period"] * len(refused))
        found = counts.reasons, counts.empty_periods
        assert found == (reasons, len(empty)), f"refused and empty: {found}, not {(reasons, len(empty))}"
        ended = sum(entry.to != END for entry in self.oracle.log) - sum(entry.to != END for entry in before)
        found, wanted = (counts.new, counts.withdrawn), (len(self.oracle.log) - len(before), ended)
        assert found == wanted, f"new and withdrawn: {found}, not {wanted}"
        return counts

    def tell_again(self, batch: Sequence[Said], rng: random.Random, **options: Any) -> None:
        """Commit a batch a second time: nothing may be written (rule 4)."""
        before, whole = self.fingerprints(), self.dump()
        self.now += 1
        rows = [statement(item, rng) for item in batch]
        rng.shuffle(rows)
        counts = self.commit(rows, **options)
        if self.fingerprints() != before:
            written = [(name, row) for name, rows in self.dump().items() for row in rows if row not in whole[name]]
            raise AssertionError(f"a replay wrote {len(written)} rows, the first: {written[:3]}")
        said = (counts.new, counts.withdrawn, counts.rows_written, counts.conflicts_opened)
        assert said == (0, 0, 0, 0), f"a replay counts {said}"

    def commit(
        self, rows: list[dict[str, Any]], *, source: str, dataset: str = "main", complete: bool = False,
        recorded: int | None = None, links: Sequence[tuple[str, str, str, str]] = (),
    ) -> CommitCounts:  # fmt: skip
        """Commit rows without telling the oracle."""
        at = KNOWN_EPOCH + timedelta(days=self.now)
        return commit(
            self.connection,
            table(self.connection, rows),
            dataset=dataset,
            source=source,
            batch_id=f"batch-{self.now}",
            clock=lambda: at,
            complete=complete,
            recorded_at=None if recorded is None else KNOWN_EPOCH + timedelta(days=recorded),
            links=links_table(links, dataset) if links else None,
        )

    def change_rules(self, single: Sequence[str], exclusions: Sequence[Exclusion] | None = None) -> None:
        """The ontology says anew which relations are single-valued, and which exclude each other (or what it said of that)."""
        self.now += 1
        self.exclusions = self.exclusions if exclusions is None else frozenset(exclusions)
        self.told.append(f"-- {self.now}: single-valued are {single}, exclusive {sorted(self.exclusions)}")
        self.connection.execute("DELETE FROM graph.ontology_properties; DELETE FROM graph.ontology_exclusions")
        for dataset in self.datasets:
            for rule in self.exclusions:
                self.connection.execute("INSERT INTO graph.ontology_exclusions VALUES (?, ?, ?, ?)", [dataset, *rule])
            for name in single:
                self.connection.execute("INSERT INTO graph.ontology_properties VALUES (?, ?, ?, TRUE)", [dataset, name, name])
        at = KNOWN_EPOCH + timedelta(days=self.now)
        for number, dataset in enumerate(self.datasets):
            apply_rules(self.connection, dataset=dataset, batch_id=f"rules-{self.now}-{number}", clock=lambda: at)
        self._rules.append((self.now, frozenset(single), self.exclusions))
        self._read_worlds()

    @property
    def single(self) -> frozenset[str]:
        return self.oracle.worlds[-1][1].single

    def _dates(self, world: World, source: str, recorded: int | None) -> Any:
        """Rule 5: the source's own time, unless the key meets another source or what was recorded later."""
        if recorded is None:
            return lambda key: self.now
        met = set()
        for entry in self.oracle.log:
            last = entry.since if entry.to == END else entry.to
            if entry.said.source != source or last >= recorded:
                met.add(world.group(entry.said))
        return lambda group: self.now if group in met else recorded

    def _mark(self) -> None:
        """Give the oracle the store's content hashes."""
        query = "SELECT source_key, statement_id FROM graph.statements JOIN graph.evidence USING (dataset, evidence_id)"
        found = self.connection.execute(query).fetchall()
        marks = {said_of(text): mark for text, mark in found}
        self.oracle.log = [Logged(entry.said, entry.since, entry.to, marks[entry.said]) for entry in self.oracle.log]

    def _read_worlds(self) -> None:
        """Which node a ref stands for is the store's decision (rule 12); what follows from it is compared."""
        query = f"SELECT dataset, ref, node_id, {days('recorded_from', 'recorded_to', KNOWN_EPOCH)} FROM graph.identities"
        found = [(*row[:3], int(row[3]), int(row[4])) for row in self.connection.execute(query).fetchall()]
        times = {since for *_, since, _ in found} | {to for *_, to in found} | {since for since, *_ in self._rules}
        self.oracle.worlds = [
            (
                known,
                World(
                    {(dataset, ref): node_id for dataset, ref, node_id, since, to in found if since <= known < to},
                    *[rules for since, *rules in self._rules if since <= known][-1],
                ),
            )
            for known in sorted(times - {END})
        ]

    def assign(self, assignments: Sequence[tuple[str, str]], *, dataset: str = "main") -> None:
        """A user decides whom refs stand for: (ref, node)."""
        self.now += 1
        self.told += [f"-- {self.now}: by hand, in {dataset}:", *(f"   {pair}" for pair in assignments)]
        table = pa.table({
            "ref": [ref for ref, _ in assignments],
            "node_id": [node_id for _, node_id in assignments],
            "reason": ["by hand"] * len(assignments),
        })  # fmt: skip
        at = KNOWN_EPOCH + timedelta(days=self.now)
        assign_identities(self.connection, table, dataset=dataset, batch_id=f"batch-{self.now}", clock=lambda: at)
        self._read_worlds()

    # --- what is believed -------------------------------------------------------------------------------------------

    def differences(self, *, support: bool = True, conflicts: bool = True) -> list[str]:
        """What the store believes and the oracle does not, and the reverse, on both clocks."""
        self._mark()
        wrong = compare("row", self.rows(), self.oracle.history(oracle.segments))
        wrong += compare("inferred", self.rows("inferred"), self.oracle.inferred())
        if support:
            wrong += compare("support", self.support(), self._at_instants(oracle.support))
        if conflicts:
            wrong += compare("conflict", self.conflicts(), self.oracle.history(oracle.conflicts))
        return wrong + [f"audit {finding}" for finding in audit(self.connection) if not finding.passed]

    def check(self, **options: bool) -> None:
        wrong = self.differences(**options)
        assert wrong == [], self.explain(wrong)

    def check_now(self) -> None:
        """What is believed now, for merges in a recorded past: they are dated earlier than belief could follow them."""
        self._mark()
        stored = {row for row, _, to in self.rows() if to == END}
        wrong = compare("row", stored, self.oracle.at(self.now, oracle.segments))
        wrong += [f"audit {finding}" for finding in audit(self.connection) if not finding.passed]
        assert wrong == [], self.explain(wrong)

    def explain(self, wrong: list[str]) -> str:
        """The first differences, and the story so far of the case that the first one names."""
        case = re.search(r"'urn:\d+:", wrong[0])
        told = [line for line in self.told if case is None or line.startswith("--") or case[0] in line]
        return "\n".join([f"{len(wrong)} differences", *wrong[:6], *told[-100:]])

    def rows(self, origin: str = "asserted") -> set[tuple[Any, int, int]]:
        """Believed rows with both clocks; a row that stands twice is a failure."""
        valid, known = days("valid_from", "valid_to", VALID_EPOCH), days("recorded_from", "recorded_to", KNOWN_EPOCH)
        nodes = f"SELECT dataset, node_id, facet, '', class, label, properties, {valid}, {known} FROM graph.nodes UNION ALL"
        edges = f"""
            SELECT dataset, subject, predicate, object, NULL, fact, properties, {valid}, {known} FROM graph.edges
            WHERE origin = '{origin}'"""
        found = self.connection.execute(edges if origin == "inferred" else nodes + edges).fetchall()
        rows = [(oracle.Segment(*row[:4], self._value(origin, *row[4:7]), *row[7:9]), *row[9:]) for row in found]
        assert len(rows) == len(set(rows)), [row for row, times in Counter(rows).items() if times > 1][:5]
        return set(rows)

    def seen(self, valid: int, known: int) -> set[tuple[Any, ...]]:
        """Edges as of a point of both clocks."""
        at = {"v": instant(VALID_EPOCH, valid), "k": instant(KNOWN_EPOCH, known)}
        found = self.connection.execute(
            "SELECT dataset, subject, predicate, object, origin, fact, properties FROM graph.edges_as_of($v, $k)", at
        ).fetchall()
        return {(*row[:4], self._value(row[4], None, *row[5:7])) for row in found}

    def believed_seen(self, valid: int, known: int) -> set[tuple[Any, ...]]:
        """The same by the oracle."""
        rows = self.oracle.at(known, oracle.segments)
        rows |= self.oracle.follows(rows)
        return {tuple(row[:5]) for row in oracle.seen(rows, valid, FACETS)}

    @staticmethod
    def _value(origin: str, cls: str | None, text: str | None, properties: str) -> str:
        return origin if origin == "inferred" else letter(cls, text, properties)

    def support(self) -> set[tuple[int, Any]]:
        """(transaction time, (row, statement)) for every instant at which something changes."""
        valid = days("r.valid_from", "r.valid_to", VALID_EPOCH)
        times = ", ".join(f"({known})" for known in self.oracle.instants() or [0])
        found = self.connection.execute(f"""
            WITH instants AS (
                SELECT day, TIMESTAMPTZ '{KNOWN_EPOCH.isoformat()}' + to_days(day) AS known FROM (VALUES {times}) AS t(day)
            ), believed AS (
                SELECT dataset, node_id AS row_id, content_hash, facet AS slot, node_id AS subject, '' AS object, class,
                       label AS text, properties, valid_from, valid_to, recorded_from, recorded_to FROM graph.nodes
                UNION ALL
                SELECT dataset, edge_id, content_hash, predicate, subject, object, NULL, fact, properties, valid_from, valid_to,
                       recorded_from, recorded_to FROM graph.edges WHERE origin = 'asserted'
            )
            SELECT DISTINCT i.day, r.dataset, r.subject, r.slot, r.object, r.class, r.text, r.properties, {valid}, v.source_key
            FROM believed AS r
            JOIN instants AS i ON r.recorded_from <= i.known AND i.known < r.recorded_to
            JOIN graph.support AS u ON u.dataset = r.dataset AND u.row_id = r.row_id AND u.content_hash = r.content_hash
                AND u.recorded_from <= i.known AND i.known < u.recorded_to
            JOIN graph.statements AS s ON s.dataset = u.dataset AND s.statement_id = u.statement_id
                AND s.recorded_from <= i.known AND i.known < s.recorded_to
            JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id""").fetchall()
        return {(row[0], (oracle.Segment(*row[1:5], letter(*row[5:8]), *row[8:10]), said_of(row[10]))) for row in found}

    def conflicts(self) -> set[tuple[Any, int, int]]:
        valid, known = days("c.valid_from", "c.valid_to", VALID_EPOCH), days("c.recorded_from", "c.recorded_to", KNOWN_EPOCH)
        found = self.connection.execute(f"""
            WITH said AS (
                SELECT DISTINCT s.dataset, s.statement_id, v.source_key FROM graph.statements AS s
                JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
            )
            SELECT c.dataset, c.subject, c.predicate, c.object, w.source_key, o.source_key, {valid}, {known}
            FROM graph.conflicts AS c
            JOIN said AS w ON w.dataset = c.dataset AND w.statement_id = c.standing_statement
            JOIN said AS o ON o.dataset = c.dataset AND o.statement_id = c.overridden_statement
            WHERE c.rule IN ('override_between_sources', 'override_by_disjoint_property')""").fetchall()
        rows = [(oracle.Conflict(Key(*r[:4]), said_of(r[4]), said_of(r[5]), *r[6:8]), *r[8:]) for r in found]
        assert len(rows) == len(set(rows)), "a conflict stands twice"
        # The reason for which a statement stands can change while it stands; then another row goes on.
        return oracle.joined(sorted(rows, key=lambda row: row[1]))

    def _at_instants(self, question: oracle.Question) -> set[tuple[int, Any]]:
        return {(known, answer) for known in self.oracle.instants() for answer in self.oracle.at(known, question)}

    def dump(self, *, without: Sequence[str] = ()) -> dict[str, list[Any]]:
        """Every table of the store that belief writes, whole; the record of runs is left out."""
        names = [name for name in self.tables() if name not in without]
        return {name: self.connection.execute(f"SELECT * FROM graph.{name} ORDER BY ALL").fetchall() for name in names}

    def fingerprints(self) -> dict[str, Any]:
        """One number per table that belief writes; the record of runs is left out."""
        query = "SELECT count(*), sum(hash(t)) FROM graph.{} AS t"
        return {name: self.connection.execute(query.format(name)).fetchall() for name in self.tables()}

    def tables(self) -> list[str]:
        found = self.connection.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph'").fetchall()
        return sorted({name for (name,) in found} & set(TABLES))


def days(start: str, until: str, epoch: datetime) -> str:
    """Two SQL columns: an interval in the oracle's integers (fractions stay visible)."""
    zero = int(epoch.timestamp()) * 1_000_000
    return f"""
        CASE WHEN {start} = '-infinity' THEN {BEGIN} ELSE (epoch_us({start}) - {zero}) / 86400000000 END,
        CASE WHEN {until} = 'infinity' THEN {END} ELSE (epoch_us({until}) - {zero}) / 86400000000 END"""


_LETTERS = {(cls, label, json.dumps(p, sort_keys=True)): name for name, (cls, label, p) in VALUES.items()} | {
    (None, fact, json.dumps(p, sort_keys=True)): name for name, (fact, p) in EDGE_VALUES.items()
}


@cache
def letter(cls: str | None, text: str | None, properties: str) -> str:
    """The name of a stored value."""
    return _LETTERS[cls, text, json.dumps(json.loads(properties), sort_keys=True)]


@cache
def said_of(text: str) -> Said:
    """The statement that an evidence names."""
    return Said(*json.loads(text))


def compare(what: str, stored: set[Any], wanted: set[Any]) -> list[str]:
    wrong = [f"{what} stored, not believed: {item}" for item in stored - wanted]
    return sorted(wrong + [f"{what} believed, not stored: {item}" for item in wanted - stored])
