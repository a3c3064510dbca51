"""Where imported ontologies are: a local catalogue of files and folders, looked up by what the files say of themselves.

An import is found by the IRI or the version IRI of an ontology, or as an OASIS XML catalogue (`catalog-v001.xml`, as Protégé
writes it) says. Nothing is fetched from a network; what is missing is listed. What the files mean is not decided here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

from stratagraph.errors import OntologyError
from stratagraph.ontology.model import CORE
from stratagraph.sqlfiles import data_path

XML_CATALOG = "catalog-v001.xml"
SUFFIXES = frozenset(
    (".owl", ".rdf", ".xml", ".ttl", ".n3", ".nt", ".trig", ".owx", ".jsonld", ".json", ".ofn", ".omn", ".obo")
)
MAX_FILES = 10_000
_OASIS = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"


@dataclass(frozen=True)
class Header:
    """What an ontology file says of itself: its IRIs (ontology and version), the IRIs it imports, or why it cannot be read."""

    iris: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    unreadable: str = ""


ReadHeader = Callable[[Path], Header]


@dataclass(frozen=True)
class Found:
    """The files an ontology is made of.

    Args:
        imported: files of the catalogue that are imported, directly or not, in the order in which they were found.
        missing: imported IRIs that no file has, sorted.
        resolved: (imported IRI, file), sorted; given files are among them.
        unreadable: (file of the catalogue, why it cannot be read), for those that were looked at.
    """

    imported: tuple[Path, ...]
    missing: tuple[str, ...]
    resolved: tuple[tuple[str, Path], ...] = ()
    unreadable: tuple[tuple[Path, str], ...] = ()


def read_header(path: Path) -> Header:
    """The header of one file; a file that cannot be used says why instead."""
    from stratagraph.ontology.read import read_file

    try:
        return header_of(read_file(path))
    except OntologyError as error:
        return Header(unreadable=error.what)


def header_of(graph: object) -> Header:
    """The header in the triples of one file (an `rdflib.Graph`)."""
    from rdflib import OWL, RDF, Graph

    assert isinstance(graph, Graph)
    iris = {*graph.subjects(RDF.type, OWL.Ontology), *graph.objects(None, OWL.versionIRI)}
    return Header(tuple(sorted(map(str, iris))), tuple(sorted({str(iri) for iri in graph.objects(None, OWL.imports)})))


class HeaderMemory:
    """Headers of files by the hash of their bytes, kept in a file: a catalogue is parsed once, not at every build."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known = _load(file)
        self.kept = len(self.known)

    def __call__(self, path: Path) -> Header:
        key = digest(path)
        if key not in self.known:
            self.known[key] = read_header(path)
        return self.known[key]

    def save(self) -> None:
        """Keep what was learned."""
        if len(self.known) == self.kept:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        scratch.write_text(json.dumps({key: asdict(header) for key, header in sorted(self.known.items())}), encoding="utf-8")
        scratch.replace(self.file)


def _load(file: Path) -> dict[str, Header]:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {key: Header(tuple(h["iris"]), tuple(h["imports"]), h["unreadable"]) for key, h in kept.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # none yet, or not ours: it is made anew


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes, as hex. A file that cannot be read is an OntologyError."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise OntologyError(
            f"the ontology file cannot be read: {error.strerror}", where=str(path),
            hint="check ontology.files and ontology.catalog in stratagraph.yaml",
        ) from error  # fmt: skip


def find_imports(files: Sequence[Path], catalog: Iterable[Path], header: ReadHeader = read_header) -> Found:
    """Resolve the imports of files, transitively, among these files and those of a catalogue.

    Args:
        files: the ontology's own files, absolute.
        catalog: files and folders, absolute. They are only read if an import is not among `files`.

    Raises:
        OntologyError: a place of the catalogue does not exist, or one of its XML catalogues cannot be used.
    """
    have = {_plain(iri): path for path in files for iri in (_file_iri(path), *header(path).iris)}
    have.setdefault(_plain(CORE), data_path("ontologies", "core.ttl"))  # it ships with the library
    wanted = [iri for path in files for iri in header(path).imports]
    places: _Index | None = None
    imported: list[Path] = []
    missing: set[str] = set()
    resolved: dict[str, Path] = {}
    while wanted:
        iri = wanted.pop(0)
        key = _plain(iri)
        if key not in have:
            places = places or _Index(catalog, header)
            path = places.find(key)
            if path is None:
                missing.add(iri)
                continue
            have[key] = path
            if path not in imported and path not in files:
                imported.append(path)
                found = header(path)
                have |= {_plain(own): path for own in found.iris if _plain(own) not in have}
                wanted.extend(found.imports)
        resolved[iri] = have[key]
    unreadable = tuple(sorted(places.unreadable.items())) if places else ()
    return Found(tuple(imported), tuple(sorted(missing)), tuple(sorted(resolved.items())), unreadable)


class _Index:
    """The files of a catalogue by IRI. XML catalogues are asked first; ontologies are opened only when those do not know."""

    def __init__(self, places: Iterable[Path], header: ReadHeader) -> None:
        self.header = header
        self.unreadable: dict[Path, str] = {}
        self.files = list(dict.fromkeys(file for place in places for file in _files(place)))
        self.listed: dict[str, Path] = {}
        for file in self.files:
            if file.name == XML_CATALOG:
                for iri, target in _xml_catalog(file):
                    if target in self.files:  # nothing outside the catalogue's places is opened
                        self.listed.setdefault(_plain(iri), target)
        self.declared: dict[str, Path] | None = None

    def find(self, key: str) -> Path | None:
        target = self.listed.get(key)
        if target is not None and self._readable(target):
            return target
        if self.declared is None:
            self.declared = {}
            for file in self.files:
                if file.name != XML_CATALOG and self._readable(file):
                    for iri in (*self.header(file).iris, _file_iri(file)):
                        self.declared.setdefault(_plain(iri), file)
        return self.declared.get(key)

    def _readable(self, file: Path) -> bool:
        why = self.header(file).unreadable
        if why:
            self.unreadable[file] = why
        return not why


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place.resolve()]
    if not place.is_dir():
        raise OntologyError("no such file or folder", where=str(place), hint="check ontology.catalog in stratagraph.yaml")
    found = sorted(file.resolve() for file in place.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
    if len(found) > MAX_FILES:
        raise OntologyError(f"more than {MAX_FILES:,} files for a catalogue", where=str(place), hint="name a smaller folder")
    return found


def _xml_catalog(path: Path) -> Iterator[tuple[str, Path]]:
    """(IRI, local file) of the `uri` entries of an OASIS catalogue; addresses on a network are left out."""
    from stratagraph.ontology.read import check_xml, read_bytes

    data = read_bytes(path)
    check_xml(data, path)
    root = ElementTree.fromstring(data)
    for group in (root, *root.iter(f"{_OASIS}group")):
        base = urljoin(path.parent.as_uri() + "/", group.get(_XML_BASE, ""))
        for entry in group.findall(f"{_OASIS}uri"):
            target = urlsplit(urljoin(urljoin(base, entry.get(_XML_BASE, "")), entry.get("uri", "")))
            if target.scheme == "file" and entry.get("name"):
                yield entry.get("name", ""), Path(unquote(target.path)).resolve()


def _plain(iri: str) -> str:
    """Imports name an ontology with or without the mark that ends its namespace."""
    return iri.rstrip("#/")


def _file_iri(path: Path) -> str:
    """What a relative import of the file's name becomes, see `read.base_iri`."""
    from stratagraph.ontology.read import base_iri

    return base_iri(path)
