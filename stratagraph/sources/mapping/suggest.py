"""Proposes a mapping of tables to the ontology, by exact normalised labels and altLabels in any language.

What is not said exactly is never renamed: what looks alike, or could mean two things, stands in comments. Nothing is
written, and no row is looked at.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from stratagraph.ontology.mapped import short_iri
from stratagraph.ontology.model import Ontology, OntologyClass, OntologyProperty
from stratagraph.sources.catalog import ForeignKey, Table
from stratagraph.sources.mapping.checks import written
from stratagraph.sources.mapping.tables import Structure

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[\W_]+")
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
_ALIKE = 0.8
_LISTED = 6

_STARTS = ("valid from", "start date", "start time", "effective from", "effective date", "from date", "date from", "begin date")
_ENDS = ("valid to", "valid until", "end date", "end time", "effective to", "to date", "date to", "expiry date")
_UPDATES = ("updated at", "last update", "last updated", "modified at", "last modified", "modified date", "updated on")


def normalised(text: str) -> str:
    """A name as it is compared: NFKC, words apart, no case, no punctuation.

    >>> normalised("givenName") == normalised("Given_Name") == normalised("given name")
    True
    """
    apart = _CAMEL.sub(" ", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFKC", _BETWEEN.sub(" ", apart).strip().casefold())


def singular_forms(name: str) -> list[str]:
    """What a normalised table name may be the plural of, by the plain English rule on its end; itself first.

    >>> singular_forms("order categories")
    ['order categories', 'order category', 'order categorie']
    """
    forms = [name]
    if name.endswith("ies"):
        forms.append(name[:-3] + "y")
    if name.endswith(("ses", "xes", "zes", "ches", "shes")):
        forms.append(name[:-2])
    if name.endswith("s") and not name.endswith("ss"):
        forms.append(name[:-1])
    return forms


def _names(term: OntologyClass | OntologyProperty) -> set[str]:
    """Every name of a term; the last part of its IRI where it has no label at all."""
    labels = (*term.labels, *term.alt_labels) or (("", term.label),)
    return {normalised(text) for _, text in labels} - {""}


@dataclass(frozen=True)
class _Terms:
    """The terms of an ontology by their names; deprecated ones are not proposed."""

    ontology: Ontology

    @cached_property
    def classes(self) -> dict[str, list[str]]:
        return _by_name(self.ontology.classes)

    @cached_property
    def data(self) -> dict[str, list[str]]:
        return _by_name({iri: prop for iri, prop in self.ontology.properties.items() if prop.kind == "data"})

    @cached_property
    def object(self) -> dict[str, list[str]]:
        return _by_name({iri: prop for iri, prop in self.ontology.properties.items() if prop.kind == "object"})


def _by_name(terms: Mapping[str, OntologyClass | OntologyProperty]) -> dict[str, list[str]]:
    """Terms by name. One without a label, often of another ontology that is only mentioned, gives way to those with one."""
    named: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for iri, term in sorted(terms.items()):
        if not term.deprecated:
            for name in sorted(_names(term)):
                named[bool(term.labels or term.alt_labels)].setdefault(name, []).append(iri)
    return named[False] | named[True]


@dataclass
class _Proposal:
    """What is proposed for a table: keys of its mapping, and remarks that are printed as comments."""

    table: str
    class_: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The YAML of the table, not indented."""
        empty = self.class_ is None and not self.properties and not self.references
        yield f"{'# ' * empty}{_scalar(self.table)}:{' {}' * empty}"
        if self.class_ is not None:
            yield f"  class: {_scalar(self.class_)}"
        for key, entries in (("properties", self.properties), ("references", self.references)):
            if entries:
                yield f"  {key}:"
                yield from (f"    {_scalar(name)}: {_scalar(iri)}" for name, iri in entries.items())
        for remark in self.remarks:
            yield f"  # {_plain(remark)}"


class _Suggester:
    """Makes the proposals for one source."""

    def __init__(self, structure: Structure, terms: _Terms) -> None:
        self.structure, self.terms = structure, terms
        self.ontology = terms.ontology
        self.classes = {name: self._classes_of(name) for name in structure.tables}

    def short(self, iri: str) -> str:
        return short_iri(self.structure.project, iri)

    def _classes_of(self, table: str) -> list[str]:
        """Classes that are called as the table is, or else as what it is the plural of."""
        for form in singular_forms(normalised(table.rpartition(".")[2])):
            if form in self.terms.classes:
                return self.terms.classes[form]
        return []

    def class_of(self, table: str) -> str | None:
        """The class of a table, where only one is meant."""
        found = self.classes.get(table, [])
        return found[0] if len(found) == 1 else None

    def proposal(self, table: Table) -> _Proposal:
        found = _Proposal(table.name)
        classes = self.classes[table.name]
        if len(classes) == 1:
            found.class_ = self.short(classes[0])
        elif classes:
            found.remarks.append(self._unsure("class", classes, table.name))
        else:
            found.remarks.append("no class is called so: its rows keep the class of the direct mapping")
            found.remarks += self._near(normalised(table.name), self.terms.classes, "class ")
        keys = [key for key in self.structure.keys_of(table.name) if len(key.columns) == 1]
        held = {column for key in self.structure.keys_of(table.name) for column in key.columns}
        self._add_properties(
            found, table, [column for column in table.columns if column not in held and column not in table.key]
        )
        self._add_references(found, keys)
        found.remarks += [*self._times(table), *self._link(table)]
        return found

    def _add_properties(self, found: _Proposal, table: Table, columns: Sequence[str]) -> None:
        own = self.class_of(table.name)
        rest, chosen = [], dict[str, str]()
        for column in columns:
            called = self.terms.data.get(normalised(column), [])
            fitting = [iri for iri in called if self._in_domain(own, iri)]
            if len(fitting) == 1 and fitting[0] not in chosen:
                chosen[fitting[0]] = column
                found.properties[column] = self.short(fitting[0])
                continue
            rest.append(column)
            if len(fitting) == 1:
                found.remarks.append(f"unsure: {column} and {chosen[fitting[0]]} are both called {self.short(fitting[0])}")
            elif fitting:
                found.remarks.append(self._unsure("property", fitting, column))
            elif called:
                found.remarks.append(self._outside(column, called, own))
            else:
                found.remarks += self._near(normalised(column), self.terms.data, f"{column}: ")
        rest += [column for column in table.columns if column in table.key and column not in rest]
        if rest:
            found.remarks.append(f"keep their direct-mapping IRI ({table.name}#column): {', '.join(rest)}")

    def _add_references(self, found: _Proposal, keys: Iterable[ForeignKey]) -> None:
        taken = dict[str, str]()
        for key in keys:
            (column,) = key.columns
            name = normalised(column)
            names = [name, *(name.removesuffix(end) for end in (" id", " key", " fk", " ref") if name.endswith(end))]
            called = next((self.terms.object[form] for form in names if form in self.terms.object), [])
            fitting = [iri for iri in called if self._relates(key, iri)]
            reference = written(key.columns)
            if len(fitting) == 1 and fitting[0] not in taken:
                taken[fitting[0]] = column
                found.references[reference] = self.short(fitting[0])
            elif len(fitting) == 1:
                found.remarks.append(f"unsure: {column} and {taken[fitting[0]]} are both called {self.short(fitting[0])}")
            elif fitting:
                found.remarks.append(self._unsure("object property", fitting, column))
            elif called:
                found.remarks.append(self._outside(column, called, self.class_of(key.table)))
            else:
                near = self._near(names[-1], self.terms.object, f"{column}: ")
                found.remarks += near or [
                    f"no object property is called as {column} -> {key.referenced_table}: it keeps its IRI"
                ]

    def _in_domain(self, own: str | None, iri: str) -> bool:
        domain = self.ontology.properties[iri].domain
        return not domain or (own is not None and self.ontology.satisfies(own, domain))

    def _relates(self, key: ForeignKey, iri: str) -> bool:
        """Whether a property may hold between the two tables' classes. What is of no class is in no domain and no range."""
        target, known = self.class_of(key.referenced_table), self.ontology.properties[iri]
        in_range = not known.range or (target is not None and self.ontology.satisfies(target, known.range))
        return in_range and self._in_domain(self.class_of(key.table), iri)

    def _unsure(self, kind: str, iris: Sequence[str], name: str) -> str:
        many = {"class": "classes", "property": "properties", "object property": "object properties"}[kind]
        return f'unsure: {len(iris)} {many} are called "{name}": {self._listed(iris)}'

    def _outside(self, column: str, iris: Sequence[str], own: str | None) -> str:
        whose = f"not for {self.short(own)}" if own else "of classes, and the table has none"
        return f"not used: {column} is called as {self._listed(iris)}, whose domain or range is {whose}"

    def _listed(self, iris: Sequence[str]) -> str:
        more = f" and {len(iris) - _LISTED} more" if len(iris) > _LISTED else ""
        return ", ".join(self.short(iri) for iri in iris[:_LISTED]) + more

    def _near(self, name: str, terms: Mapping[str, list[str]], before: str) -> list[str]:
        """What looks alike; it may be something else altogether, as employer and employee are."""
        found = difflib.get_close_matches(name, list(terms), n=1, cutoff=_ALIKE) if name else []
        return [f'near: {before}{self._listed(terms[like])} ("{like}"), not used' for like in found]

    def _times(self, table: Table) -> list[str]:
        """Columns that may say when a row is true; only the user knows."""
        by_name = {normalised(column): column for column in reversed(table.columns)}
        start = next((by_name[name] for name in _STARTS if name in by_name), None)
        end = next((by_name[name] for name in _ENDS if name in by_name), None)
        update = next((by_name[name] for name in _UPDATES if name in by_name), None)
        lines = []
        if start is not None:
            lines += ["unsure: are these when a row is true?", "valid_time: columns", f"valid_from: {_scalar(start)}"]
            if end is not None:
                lines += [f"valid_to: {_scalar(end)}", "closed: true  # if valid_to is the last day that is included"]
        if update is not None:
            lines += [
                "unsure: is this when a row came to be as it is?",
                f"updated_at: {_scalar(update)}  # with valid_time: load",
            ]
        return lines

    def _link(self, table: Table) -> list[str]:
        """That rows may be edges: two foreign keys, and a primary key that is both or nothing else beside them."""
        keys = self.structure.keys_of(table.name)
        if len(keys) != 2 or any(key.referenced_table == table.name for key in self.structure.keys):
            return []
        held = {column for key in keys for column in key.columns}
        pure = set(table.columns) <= held
        if not pure and set(table.key) != held:
            return []
        ends = [self.class_of(key.referenced_table) for key in keys]
        fitting = [
            iri
            for iri, prop in self.ontology.properties.items()
            if prop.kind == "object" and prop.domain and prop.range and not prop.deprecated
            and ends[0] is not None and ends[1] is not None
            and self.ontology.satisfies(ends[0], prop.domain) and self.ontology.satisfies(ends[1], prop.range)
        ]  # fmt: skip
        what = "a pure link table" if pure else "a link table with columns of its own"
        name = _scalar(self.short(fitting[0])) if len(fitting) == 1 else "…"
        fits = [f"  # unsure: {self._listed(fitting)} may hold between them"] if fitting else []
        subject, item = (_scalar(written(key.columns)) for key in keys)
        edge = f"edge: {{subject: {subject}, predicate: {name}, object: {item}}}"
        return [f"{what}: its rows stay nodes, unless they are mapped to edges:", edge + "".join(fits)]


def suggest(structures: Iterable[Structure], ontology: Ontology, table: str | None = None) -> str:
    """The YAML of a proposed mapping, which loads as it is: `sources: {name: {mapping: …}}`.

    Args:
        structures: what is known of each source.
        table: only this table.
    """
    terms = _Terms(ontology)
    lines = [
        "# Proposed by exact labels and altLabels of the ontology. Copy what is right into stratagraph.yaml. Comments say what",
        "# is unsure, what only looks alike, and what keeps the IRI of the direct mapping.",
        "sources:",
    ]
    for structure in structures:
        suggester = _Suggester(structure, terms)
        chosen = [found for name, found in structure.tables.items() if table in (None, name)]
        proposals = [suggester.proposal(found) for found in chosen]
        some = any(found.class_ or found.properties or found.references for found in proposals)
        lines += [f"  {_scalar(structure.source)}:", f"    mapping:{' {}' * (not some)}"]
        lines += [f"      {line}" for found in proposals for line in found.lines()]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Text that can't end a comment or steer a terminal."""
    return "".join(" " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character for character in text)


def _scalar(text: str) -> str:
    """A YAML scalar: plain where it can't be misread, else in double quotes."""
    plain = re.fullmatch(r"[A-Za-z_][\w.-]*(:[\w.-]+)?", text, re.ASCII)
    if plain and text.casefold() not in _YAML_WORDS:
        return text
    escaped = (
        f"\\U{ord(c):08x}" if not c.isprintable() and c not in "\n\t\r" else json.dumps(c, ensure_ascii=False)[1:-1]
        for c in text
    )
    return '"' + "".join(escaped) + '"'
