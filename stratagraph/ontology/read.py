"""Reads ontology files of any common syntax into one RDF graph, recognising the syntax by content.

Nothing is fetched from a network: remote JSON-LD contexts and external XML entities are refused, and `owl:imports` is
left to `build.py`, which only resolves it among the given files. What the triples mean is not decided here.
"""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from urllib.parse import quote
from xml.parsers import expat

import owlready2
import rdflib
from rdflib.plugins.parsers.notation3 import BadSyntax

from stratagraph.errors import OntologyError

MAX_BYTES = 100_000_000
_OWL = "http://www.w3.org/2002/07/owl#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SCRATCH = "urn:stratagraph:scratch#"
_CONVERT = "convert it to Turtle, RDF/XML, OWL/XML or JSON-LD first"
_UNSUPPORTED = (
    (re.compile(r"(Prefix|Ontology|Import)\s*\("), "OWL functional syntax is not read"),
    (re.compile(r"(Prefix|Ontology|Class|Namespace):\s"), "Manchester syntax is not read"),
    (re.compile(r"format-version:"), "OBO is not read"),
)

# rdflib logs every literal it cannot turn into a Python value; the triples are kept as written, so that is noise here.
logging.getLogger("rdflib.term").setLevel(logging.ERROR)


def read_file(path: Path) -> rdflib.Graph:
    """The triples of one file. Any fault is an OntologyError that names the file and, where known, the line."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise OntologyError(
                f"the file has {size:,} bytes, more than {MAX_BYTES:,}", where=str(path), hint="use the part that you need"
            )
        data = path.read_bytes()
    except OSError as error:
        raise OntologyError(
            f"the ontology file cannot be read: {error.strerror}",
            where=str(path),
            hint="check ontology.files in stratagraph.yaml",
        ) from error
    head = _head(data, path)
    if head.startswith("<") and _looks_like_xml(head):
        return _read_xml(data, path)
    if head.startswith(("{", "[")) and (document := _json(data, head, path)) is not None:
        return _read_json_ld(document, path)
    for pattern, reason in _UNSUPPORTED:
        if pattern.match(head):
            raise OntologyError(reason, where=str(path), hint=_CONVERT)
    return _read_turtle(data, path)


def _head(data: bytes, path: Path) -> str:
    """The start of the text after byte order mark, blank lines and comments."""
    start = data[:4]
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data[:65536].decode(encoding, "replace")
    head = re.sub(r"\A(?:\s+|#[^\n]*\n)+", "", text)
    if not head.strip() and len(data) <= 65536:
        raise OntologyError("the ontology file is empty", where=str(path))
    return head


def _looks_like_xml(head: str) -> bool:
    # '<http://…>' opens a Turtle or N-Triples statement, a name an element. '<urn:A>' may be either: as an element it
    # does not say what its prefix means, so it is broken XML, which end tags give away.
    opened = re.match(r"<(\?xml|!|[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?([\s>/]))", head)
    return opened is not None and (":" not in opened.group() or opened.group(2) != ">" or "</" in head)


def _read_xml(data: bytes, path: Path) -> rdflib.Graph:
    root = _check_xml(data, path)
    graph = rdflib.Graph()
    if root == f"{_OWL} Ontology":
        return _read_owl_xml(data, path)
    if root != f"{_RDF} RDF" and "RDF" not in root:
        raise OntologyError(
            f"an XML file, but neither RDF/XML nor OWL/XML: its root is <{root.rpartition(' ')[2]}>",
            where=str(path),
            hint=_CONVERT,
        )
    try:
        graph.parse(data=data, format="xml", publicID=_base(path))
    except Exception as error:
        line = _line_of(error)
        raise OntologyError(f"not valid RDF/XML: {_message(error)}", where=_place(path, line)) from error
    return graph


def _check_xml(data: bytes, path: Path) -> str:
    """Well-formedness and entity rules; the root element as 'namespace name'.

    OWL files abbreviate IRIs with entities, so plain ones are allowed; one that expands others, or that points outside
    the file, is an attack or a mistake.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    root: list[str] = []

    def refuse(name: str, why: str) -> None:
        raise OntologyError(
            f"the XML entity {name!r} {why}",
            where=_place(path, parser.CurrentLineNumber),
            hint="write the IRIs out and remove it",
        )

    def entity(
        name: str,
        is_parameter: bool,
        value: str | None,
        base: str | None,
        system: str | None,
        public: str | None,
        notation: str | None,
    ) -> None:
        if value is None or system or public or is_parameter:
            refuse(name, "points outside the file")
        elif "&" in value or "%" in value or len(value) > 1000:
            refuse(name, "expands other entities or is too long")

    def element(name: str, attributes: dict[str, str]) -> None:
        if not root:
            root.append(name)

    parser.EntityDeclHandler = entity
    parser.StartElementHandler = element
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise OntologyError(
            f"not well-formed XML: {expat.ErrorString(error.code)}", where=_place(path, error.lineno)
        ) from error
    return root[0]


def _read_owl_xml(data: bytes, path: Path) -> rdflib.Graph:
    # owlready2 reads OWL/XML. Only its parser is used: its `load` would fetch imports and run Python modules named in the file.
    world = owlready2.World()
    try:
        ontology = world.get_ontology(_SCRATCH)
        with ontology:
            ontology.graph.parse(io.BytesIO(data), default_base=_SCRATCH, format="owlxml")
        output = io.BytesIO()
        ontology.save(file=output, format="ntriples")
    except Exception as error:
        raise OntologyError(f"not valid OWL/XML: {_message(error)}", where=str(path)) from error
    finally:
        world.close()
    graph = rdflib.Graph()
    graph.parse(data=output.getvalue(), format="nt")
    return graph


def _json(data: bytes, head: str, path: Path) -> object | None:
    try:
        document: object = json.loads(data.decode("utf-8-sig"))
        return document
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        if head.startswith("[") and not re.match(r"\[\s*\{", head):
            return None  # a Turtle file may open with a blank node
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise OntologyError(f"not valid JSON-LD: {_message(error)}", where=_place(path, line)) from error


def _read_json_ld(document: object, path: Path) -> rdflib.Graph:
    _refuse_remote_contexts(document, path)
    graph = rdflib.Graph()
    try:
        graph.parse(data=json.dumps(document), format="json-ld", publicID=_base(path))
    except Exception as error:
        raise OntologyError(f"not valid JSON-LD: {_message(error)}", where=str(path)) from error
    if len(graph) == 0:
        raise OntologyError("a JSON file without a single triple: it is no JSON-LD", where=str(path), hint=_CONVERT)
    return graph


def _refuse_remote_contexts(node: object, path: Path) -> None:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, dict):
            stack.extend(current.values())
            contexts = current.get("@context", [])
            for context in contexts if isinstance(contexts, list) else [contexts]:
                remote = context if isinstance(context, str) else context.get("@import") if isinstance(context, dict) else None
                if remote:
                    raise OntologyError(
                        f"the JSON-LD context {remote!r} is not in the file", where=str(path),
                        hint="nothing is fetched: write the context into the file",
                    )  # fmt: skip


def _read_turtle(data: bytes, path: Path) -> rdflib.Graph:
    """Turtle, or its relatives: N-Triples is a subset, N3 and TriG are read when Turtle is not enough."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad_line = data[: error.start].count(b"\n") + 1
        raise OntologyError("not UTF-8, and no XML that declares another encoding", where=_place(path, bad_line)) from error
    first: Exception | None = None
    for syntax in ("turtle", "n3", "trig"):
        dataset = rdflib.Dataset(default_union=True) if syntax == "trig" else None
        graph = dataset if dataset is not None else rdflib.Graph()
        try:
            graph.parse(data=text, format=syntax, publicID=_base(path))
        except Exception as error:  # noqa: BLE001  rdflib's parsers raise whatever the broken input leads to
            first = first or error
            continue
        if dataset is None:
            return graph
        merged = rdflib.Graph()
        for subject, predicate, value in dataset.triples((None, None, None)):
            merged.add((subject, predicate, value))
        return merged
    line = first.lines + 1 if isinstance(first, BadSyntax) else None
    raise OntologyError(f"not valid Turtle, N-Triples, N3 or TriG: {_message(first)}", where=_place(path, line)) from first


def _base(path: Path) -> str:
    """Base of relative IRIs. Without folders, so that an ontology says the same wherever it lies."""
    return "file:///" + quote(path.name)


def _place(path: Path, line: int | None) -> str:
    return f"{path}:{line}" if line else str(path)


def _line_of(error: Exception) -> int | None:
    """rdflib's XML parser writes 'file:line:column: message'."""
    found = re.match(r"\S*:(\d+):\d+: ", str(error))
    return int(found.group(1)) if found else None


def _message(error: Exception | None) -> str:
    if isinstance(error, BadSyntax):
        return str(error._why)
    return re.sub(r"^\S*:\d+:\d+: ", "", str(error)).split("\n")[0][:200] or type(error).__name__
