"""Turns the mapping of a table into SQL expressions: its rows' IRIs, classes, labels, properties, and what its keys refer to.

The expressions hold positions and nothing else; names and texts are bound as parameters. Which row log they are run on,
and in what order, is `table_statements.py`. No row is seen here, and nothing is checked but what an expression needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagraph.config.sources import TableMapping, TableSource
from stratagraph.project import Project
from stratagraph.sources.catalog import ForeignKey, Table
from stratagraph.sources.mapping.ranges import Range, refusals
from stratagraph.sources.mapping.templates import by_iri, column_list, known_column, parsed_template, quoted, template_fields
from stratagraph.sources.names import iri_safe, pointer, source_iri, table_iri, words

_WORD = re.compile(r"[^a-z0-9]+")
_NO_TEXT = "CAST(NULL AS VARCHAR)"

# A row without a whole key is told apart by what stands in it, and by a count.
_HASH = "json_extract_string(key, '$[1]')"
_HASHED_REF = f"'~' || {_HASH} || '.' || json_extract_string(key, '$[2]')"
_HASHED_KEY = f"""'"row":"' || {_HASH} || '","occurrence":' || json_extract(key, '$[2]')"""
_IS_HASHED = (
    "(json_extract_string(key, '$[0]') = '#' AND regexp_full_match(json_extract_string(key, '$[1]'), '[0-9a-f]{32}')"
    " AND json_type(key, '$[2]') = 'UBIGINT')"
)


@dataclass(frozen=True)
class Structure:
    """A source, as far as it decides what its rows mean.

    Args:
        tables: by name; those that are loaded.
        keys: foreign keys of the loaded tables.
        primary: what tells the rows of a table apart, loaded or not, where that is a key.
        ranges: property IRI -> axioms that hold of its values.
    """

    project: Project
    source: str
    config: TableSource
    tables: Mapping[str, Table]
    keys: Sequence[ForeignKey]
    primary: Mapping[str, Sequence[str]]
    ranges: Mapping[str, Sequence[Range]] = field(default_factory=dict)

    def mapping(self, table: str) -> TableMapping:
        return self.config.mapping.get(table, TableMapping())

    def iri(self, table: str) -> str:
        return table_iri(self.project, self.source, table)

    def keys_of(self, table: str) -> list[ForeignKey]:
        """Its foreign keys, without what links a nested row to its parent."""
        return [key for key in self.keys if key.table == table and key.origin != "nested"]

    def root(self, table: Table) -> Table | None:
        """The table at the top of those it is nested in."""
        return self.tables.get(table.path[0]) if len(table.path) > 1 else None

    def linked_columns(self, table: str) -> tuple[str, ...]:
        """The columns that foreign keys hold, on either side, in the order in which `entities.parts` has them."""
        keys = [key for key in self.keys if key.origin != "nested"]
        own = {column for key in keys if key.table == table for column in key.columns}
        return tuple(
            sorted(own | {column for key in keys if key.referenced_table == table for column in key.referenced_columns})
        )


@dataclass(frozen=True)
class Query:
    """What the SQL of one table or key needs: expressions that hold nothing but positions, and the values they point to."""

    identifiers: dict[str, str]
    parameters: dict[str, Any]

    def with_(self, parameters: Mapping[str, Any] | None = None, **identifiers: str) -> Query:
        """The same with more of them."""
        return Query({**self.identifiers, **identifiers}, {**self.parameters, **(parameters or {})})


class _Row:
    """Expressions over a row of the log: `fields[i]` is a column as JSON, `t<i>` the same as text, `$strings[i]` a constant."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.pointers: list[str] = []
        self.strings: list[str] = []
        self._texts: dict[str, str] = {}

    def _places(self, column: str) -> list[int]:
        """Positions of the names that the column's values stand under, the present one first."""
        # A name that another column took over since is no longer this one's.
        former = [name for name in self.table.former.get(column, ()) if name not in self.table.columns]
        return [_place(self.pointers, pointer(name)) for name in (column, *former)]

    def cell(self, column: str) -> str:
        places = [f"fields[{place}]" for place in self._places(column)]
        return places[0] if len(places) == 1 else f"coalesce({', '.join(places)})"

    def text(self, column: str) -> str:
        name = f"t{self._places(column)[0]}"
        self._texts[name] = f"({self.cell(column)}) ->> '$' AS {name}"
        return name

    def unread_text(self, column: str) -> str:
        """The text where the content's fields are not taken out yet."""
        cells = [f"json_extract_string(content, CAST($pointers AS VARCHAR[])[{place}])" for place in self._places(column)]
        return f"coalesce({', '.join(cells)})"

    def string(self, text: str) -> str:
        return f"$strings[{_place(self.strings, text)}]"

    def texts(self) -> str:
        """The texts that were asked for, behind the columns of a SELECT."""
        return "".join(f", {text}" for _, text in sorted(self._texts.items()))

    def rendered(self, template: str, where: str, wrap: str = "{}", *, optional: bool = False) -> str:
        """A template as one expression, NULL where a field that is not optional is NULL. wrap: what each field is put into."""
        parts = []
        for literal, named in parsed_template(template):
            if literal:
                parts.append(self.string(literal))
            if named is not None:
                column = named if named in self.table.columns else named.removesuffix("?")
                text = wrap.format(self.text(known_column(column, self.table, where)))
                parts.append(f"coalesce({text}, '')" if optional or column != named else text)
        return " || ".join(parts) or "''"


def _place(places: list[str], text: str) -> int:
    """Position (from 1) of a text in a list that grows by it."""
    if text not in places:
        places.append(text)
    return places.index(text) + 1


def _known_as(table: Table | None, column: str) -> str:
    """The name of a column in IRIs: the first it had."""
    return table.known_as.get(column, column) if table is not None else column


def _key_path(names: Iterable[str], texts: Iterable[str], string: Any) -> str:
    """`name=value;name=value`, percent-encoded: the last part of a row's IRI."""
    pieces: list[str] = []
    for name, text in zip(names, texts, strict=True):
        start = f";{iri_safe(name)}=" if pieces else f"{iri_safe(name)}="
        pieces.append(f"{string(start)} || iri_safe({text})")
    return " || ".join(pieces)


def entity_query(structure: Structure, table: Table) -> Query:
    """What `insert_entities` needs for one table."""
    where = f"sources.{structure.source}.mapping.{table.name}"
    mapping = structure.mapping(table.name)
    row = _Row(table)
    root = structure.root(table)
    identity = _identity(structure, mapping, row) if root is None else _nested_identity(structure, row, root)
    label = mapping.label or _default_label(table)
    name = f"{row.string(f'{table.name} ')} || {identity.text}"
    if label:
        name = f"coalesce(squeeze({row.rendered(label, f'{where}.label', optional=True)}), {name})"
    linked = ", ".join(row.text(column) for column in structure.linked_columns(table.name))
    times = {
        "from": ("valid_from", mapping.valid_from),
        "to": ("valid_to", mapping.valid_to),
        "observed": ("observed_at", mapping.observed_at),
        "updated": ("updated_at", mapping.updated_at),
    }
    texts = {
        time: row.text(known_column(column, table, f"{where}.{key}")) if column else _NO_TEXT
        for time, (key, column) in times.items()
    }
    identifiers = {f"{time}_text": text for time, text in texts.items()} | {
        "ref": identity.ref,
        "null_key": identity.null_key,
        "source_key": identity.source_key,
        "class": _class(structure, mapping, row, where),
        "label": name,
        "members": ", ".join(_members(structure, mapping, row, where)) or "NULL",
        "refused": _refused(structure, mapping, row),
        "parts": f"CAST([{linked}] AS VARCHAR[])",
        "updated": row.unread_text(mapping.updated_at) if mapping.updated_at else _NO_TEXT,
        "texts": row.texts(),
    }
    parameters = {f"{time}_format": mapping.pattern(column) for time, (_, column) in times.items()} | {
        "source": structure.source,
        "table": table.name,
        "strings": row.strings,
        "pointers": row.pointers,
        "null_detail": identity.null_detail,
        # The changes of a feed are events, each at its own time, which the row log has as the time of the load.
        "valid_time": "load" if table.mode == "changes" else mapping.valid_time or structure.config.valid_time,
        "zone": mapping.zone,
        "open_values": mapping.open_values,
        "closed": mapping.closed,
        "bounded": mapping.valid_to is not None,
    }
    return Query(identifiers, parameters)


@dataclass(frozen=True)
class _Identity:
    """Expressions of a row's IRI, of its key as words and as evidence, and of whether part of the key is missing."""

    ref: str
    text: str
    source_key: str
    null_key: str
    null_detail: str


def _evidence(members: Iterable[str]) -> str:
    return f"'{{' || concat_ws(',', {', '.join(members)}) || '}}'"


def _identity(structure: Structure, mapping: TableMapping, row: _Row) -> _Identity:
    table = row.table
    prefix = row.string(f"{structure.iri(table.name)}/")
    texts = [row.text(column) for column in table.key]
    if table.key:
        ref = f"{prefix} || {_key_path([_known_as(table, column) for column in table.key], texts, row.string)}"
        text = f"concat_ws(' ', {', '.join(texts)})"
        source_key = _evidence(f"{row.string(quoted(column) + ':')} || {row.cell(column)}" for column in table.key)
    else:
        ref, text, source_key = f"{prefix} || {_HASHED_REF}", f"{_HASH}[:8]", _evidence([_HASHED_KEY])
    needed, detail = list(texts), "a part of the primary key is NULL"
    if mapping.ref is not None:
        where = f"sources.{structure.source}.mapping.{table.name}.ref"
        ref = _declared_ref(structure, mapping.ref, row, where)
        needed += [row.text(known_column(field, table, where)) for field in template_fields(mapping.ref, table.columns)]
        detail = "a part of the primary key, or of ref, is NULL"
    null_key = " OR ".join(f"{text} IS NULL" for text in dict.fromkeys(needed)) or "FALSE"
    return _Identity(ref, text, source_key, null_key, detail)


def _declared_ref(structure: Structure, template: str, row: _Row, where: str) -> str:
    """The template's text, behind the base of the source unless it opens with a prefix or a scheme."""
    start = template.partition("{")[0]
    absolute = ":" in start.partition("/")[0]
    base = structure.project.expand(start) if absolute else f"{source_iri(structure.project, structure.source)}{start}"
    return f"{row.string(base)} || {row.rendered(template.removeprefix(start), where, 'iri_safe({})')}"


def _nested_identity(structure: Structure, row: _Row, root: Table) -> _Identity:
    """Of an item of a list: its parent's, and its place in the list. All of it stands in the key of the log."""
    lists = row.table.path[1:]
    prefix = row.string(f"{structure.iri(root.name)}/")
    if root.key:
        places = range(len(root.key))
        texts = [f"json_extract_string(key, '$[{place}]')" for place in places]
        ref = f"{prefix} || {_key_path([_known_as(root, column) for column in root.key], texts, row.string)}"
        members = [f"{row.string(quoted(column) + ':')} || json_extract(key, '$[{i}]')" for i, column in enumerate(root.key)]
        # A key of three parts has the shape of what stands for none.
        null_key = _IS_HASHED if len(root.key) == 3 else f"json_array_length(key) <> {len(root.key) + len(lists)}"
    else:
        places = range(3)
        texts, ref, members, null_key = [f"{_HASH}[:8]"], f"{prefix} || {_HASHED_REF}", [_HASHED_KEY], "FALSE"
    for place, name in enumerate(lists, start=len(places)):
        item = f"json_extract_string(key, '$[{place}]')"
        ref += f" || {row.string(f'/{iri_safe(name)}/')} || {item}"
        texts.append(item)
        members.append(f"{row.string(quoted(name) + ':')} || {item}")
    text = f"concat_ws(' ', {', '.join(texts)})"
    return _Identity(ref, text, _evidence(members), null_key, "the row it is nested in has no whole key")


def _class(structure: Structure, mapping: TableMapping, row: _Row, where: str) -> str:
    if mapping.edge is not None:
        return "NULL"
    expand = structure.project.expand
    own = row.string(expand(mapping.class_) if mapping.class_ else structure.iri(row.table.name))
    if mapping.classes is None:
        return own
    text = row.text(known_column(mapping.classes.column, row.table, f"{where}.classes.column"))
    values = sorted(mapping.classes.values.items())
    cases = " ".join(f"WHEN {row.string(value)} THEN {row.string(expand(iri))}" for value, iri in values)
    return f"CASE {text} {cases} ELSE {row.string(expand(mapping.classes.otherwise)) if mapping.classes.otherwise else own} END"


def _members(structure: Structure, mapping: TableMapping, row: _Row, where: str) -> Iterator[str]:
    """The properties of a row, in order of their IRIs."""
    for key, columns in (("properties", mapping.properties), ("ignore", mapping.ignore)):
        for column in columns:
            known_column(column, row.table, f"{where}.{key}")
    stated = [column for column in row.table.columns if column not in mapping.ignore]
    if mapping.edge is not None:  # what the ends are is not said again
        ends = {*column_list(mapping.edge.subject), *column_list(mapping.edge.object)}
        stated = [column for column in stated if column not in ends or column in mapping.properties]
    iri, expand = structure.iri(row.table.name), structure.project.expand
    own = {
        column: expand(mapping.properties[column])
        if column in mapping.properties
        else f"{iri}#{iri_safe(_known_as(row.table, column))}"
        for column in stated
    }
    templates = {f"values.{name}": (expand(name), template) for name, template in mapping.values.items()}
    pairs = [(name, column) for column, name in own.items()] + [(name, place) for place, (name, _) in templates.items()]
    for name, column in by_iri(pairs, where):
        start = row.string(quoted(name) + ":")
        if column in templates and own.get(column) != name:
            yield f"{start} || to_json({row.rendered(templates[column][1], f'{where}.values')})"
        else:
            cell = row.cell(column)
            allowed = (
                f" AND {refusals(ranges, row.text(column), row.string)} IS NULL"
                if (ranges := structure.ranges.get(name))
                else ""
            )
            yield f"CASE WHEN {cell} <> 'null'{allowed} THEN {start} || {cell} END"


def _refused(structure: Structure, mapping: TableMapping, row: _Row) -> str:
    """The values that their property does not allow, as a JSON list of {column, axiom, value}; NULL where there are none."""
    items = []
    for column, name in sorted(mapping.properties.items()):
        if column not in mapping.ignore and (ranges := structure.ranges.get(structure.project.expand(name))):
            axiom, cell = refusals(ranges, row.text(column), row.string), row.cell(column)
            items.append(
                f"CASE WHEN {cell} <> 'null' AND {axiom} IS NOT NULL THEN"
                f" json_object('column', {row.string(column)}, 'axiom', {axiom}, 'value', {cell}) END"
            )
    if not items:
        return _NO_TEXT
    found = f"list_filter([{', '.join(items)}], lambda item: item IS NOT NULL)"
    return f"CASE WHEN {' OR '.join(f'{item} IS NOT NULL' for item in items)} THEN CAST(to_json({found}) AS VARCHAR) END"


def _default_label(table: Table) -> str | None:
    """The column that names the row: name, label or title, or the table's own name with `name` behind it."""
    plain = {_WORD.sub("", column.lower()): column for column in reversed(table.columns)}
    own = _WORD.sub("", table.name.lower())
    stems = [own, own.removesuffix("s"), own.removesuffix("es"), own.removesuffix("ies") + "y"]
    wanted = ["name", "label", "title", *(stem + end for stem in stems for end in ("name", "label", "title"))]
    wanted += sorted(
        column for column in plain if column.endswith("name") and column not in ("firstname", "lastname", "username")
    )
    found = next((plain[name] for name in wanted if name in plain), None)
    return "{" + found + "}" if found and not set(found) & set("{}!:?") else None


def target_query(structure: Structure, key: ForeignKey, name: str = "targets") -> Query:
    """What `create_targets` needs: the columns that a foreign key refers to."""
    parameters: dict[str, Any] = {"referenced_table": key.referenced_table}
    if key.origin == "nested":
        return Query({"name": name, "target": "key"}, parameters | {"by_key": True})
    held = structure.linked_columns(key.referenced_table)
    target = _target([f"parts[{held.index(column) + 1}]" for column in key.referenced_columns])
    by_key = sorted(structure.primary.get(key.referenced_table, ())) == sorted(key.referenced_columns)
    return Query({"name": name, "target": target}, parameters | {"by_key": by_key})


def edge_query(structure: Structure, key: ForeignKey, place: int) -> Query:
    """What `insert_edges` needs for one foreign key; place: which it is of all that are put in."""
    predicate = _predicate(structure, key)
    strings: list[str] = []
    end = _end(structure, key, strings, dangles=follows(structure, key))
    parameters: dict[str, Any] = {
        "place": place,
        "table": key.table,
        "referenced_table": key.referenced_table,
        "predicate": predicate,
        "words": words(predicate),
    }
    return Query(
        {"target": end.target, "target_text": end.text, "dangling": end.dangling},
        parameters | ({"strings": strings} if strings else {}),
    )


def missing_query(structure: Structure, key: ForeignKey) -> Query:
    """What `insert_missing_targets` needs for one foreign key."""
    end = _end(structure, key, [], dangles=False)
    return Query({"target": end.target}, {"source": structure.source, "table": key.table, "name": key.name})


def link_query(structure: Structure, ends: tuple[ForeignKey, ForeignKey]) -> Query:
    """What `create_links` needs for a table whose rows are edges between what two of its foreign keys refer to."""
    identifiers: dict[str, str] = {}
    strings: list[str] = []
    for name, key in zip(("subject", "object"), ends, strict=True):
        # A row that is missing is no end, unless its whole table is.
        dangles = key.referenced_table not in structure.tables and follows(structure, key)
        end = _end(structure, key, strings, dangles=dangles)
        identifiers |= {name: end.target, f"{name}_text": end.text, f"{name}_dangling": end.dangling}
    parameters: dict[str, Any] = {"table": ends[0].table, "words": words(link_predicate(structure, ends[0].table))}
    parameters |= {"subject_table": ends[0].referenced_table, "object_table": ends[1].referenced_table}
    return Query(identifiers, parameters | ({"strings": strings} if strings else {}))


def link_predicate(structure: Structure, table: str) -> str:
    """The property of a table whose rows are edges."""
    edge = structure.mapping(table).edge
    assert edge is not None
    return structure.project.expand(edge.predicate)


def link_ends(structure: Structure, table: str) -> tuple[ForeignKey, ForeignKey]:
    """The foreign keys that are subject and object of the edges that the rows of a table are."""
    edge = structure.mapping(table).edge
    assert edge is not None
    by_columns = {key.columns: key for key in reversed(structure.keys_of(table))}
    return by_columns[column_list(edge.subject)], by_columns[column_list(edge.object)]


def shared_predicates(structure: Structure, table: str) -> list[str]:
    """Properties that several foreign keys of a table are mapped to."""
    used = [_predicate(structure, key) for key in structure.keys if key.table == table]
    return sorted({iri for iri in used if used.count(iri) > 1})


def follows(structure: Structure, key: ForeignKey) -> bool:
    """Whether the IRI of a row that is missing follows from the key that refers to it."""
    if key.origin == "nested":
        return True
    primary = structure.primary.get(key.referenced_table, ())
    known = structure.mapping(key.referenced_table).ref is None
    return known and (not primary or sorted(primary) == sorted(key.referenced_columns))


def _predicate(structure: Structure, key: ForeignKey) -> str:
    given = {column_list(columns): iri for columns, iri in structure.mapping(key.table).references.items()}
    if key.columns in given:
        return structure.project.expand(given[key.columns])
    table = structure.tables.get(key.table)
    return f"{structure.iri(key.table)}#ref-" + ";".join(iri_safe(_known_as(table, column)) for column in key.columns)


@dataclass(frozen=True)
class _End:
    """Expressions of what a foreign key holds, and of the words and the IRI of a row that it does not find."""

    target: str
    text: str
    dangling: str


def _end(structure: Structure, key: ForeignKey, strings: list[str], *, dangles: bool) -> _End:
    """`dangles`: whether a row that is not found gets an IRI."""
    if key.origin == "nested":
        return _End(r"regexp_replace(key, ',[0-9]+\]$', ']')", "''", "regexp_replace(k.ref, '/[^/]*/[0-9]+$', '')")
    held = structure.linked_columns(key.table)
    texts = {other: f"parts[{held.index(own) + 1}]" for own, other in zip(key.columns, key.referenced_columns, strict=True)}
    target, text = _target(list(texts.values())), f"concat_ws(' ', {', '.join(texts.values())})"
    if not dangles:
        return _End(target, text, _NO_TEXT)

    def string(constant: str) -> str:
        return f"$strings[{_place(strings, constant)}]"

    # By the primary key in its order, or by all that is known of a table that has none.
    order = structure.primary.get(key.referenced_table) or key.referenced_columns
    names = [_known_as(structure.tables.get(key.referenced_table), column) for column in order]
    path = _key_path(names, [texts[column] for column in order], string)
    return _End(target, text, f"{string(f'{structure.iri(key.referenced_table)}/')} || {path}")


def _target(texts: Sequence[str]) -> str:
    """What is compared of a key: its text, or the list of them; NULL where a part is."""
    if len(texts) == 1:
        return texts[0]
    return f"CASE WHEN {' AND '.join(f'{text} IS NOT NULL' for text in texts)} THEN [{', '.join(texts)}] END"
