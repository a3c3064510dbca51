"""Loads a project's ontology and keeps what the merge needs of it in the warehouse.

`load_ontology` is a function of the files alone; `update_ontology` writes three small tables, in one transaction and only
when the ontology says something else than before. owlready2 and rdflib are imported when a file is read, not before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from stratagraph.errors import OntologyError
from stratagraph.ontology.catalog import Found, HeaderMemory, ReadHeader, digest, find_imports, header_of, read_header
from stratagraph.ontology.mapped import check_mapping, deprecations, mapped_terms
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import data_path, load_sql
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

if TYPE_CHECKING:
    import rdflib

VERSION = "2"
STAGE = "ontology"


@dataclass(frozen=True)
class OntologyResult:
    """What `update_ontology` found and wrote."""

    changed: bool
    classes: int
    properties: int
    implications: int
    single_valued: int
    missing_imports: int
    content_hash: str
    warning: str = ""

    def metadata(self) -> dict[str, int | float | str]:
        warning: dict[str, int | float | str] = {"warning": self.warning} if self.warning else {}
        return warning | {
            "changed": int(self.changed), "classes": self.classes, "properties": self.properties,
            "implications": self.implications, "single_valued": self.single_valued, "missing_imports": self.missing_imports,
            "content_hash": self.content_hash,
        }  # fmt: skip


def load_ontology(files: Iterable[str | Path], catalog: Iterable[str | Path] = ()) -> Ontology:
    """Load ontology files of any supported syntax as one ontology, with what they import.

    Args:
        files: the ontology's own files.
        catalog: files and folders in which imports are looked for (see `catalog.py`); nothing else is opened.

    Raises:
        OntologyError: a file cannot be used, or nothing in them is a class or a property.
    """
    graphs, found = read_graphs(files, catalog)
    return made_of(graphs, found)


def read_graphs(
    files: Iterable[str | Path], catalog: Iterable[str | Path] = (), header: ReadHeader | None = None
) -> tuple[list[tuple[Path, rdflib.Graph]], Found]:
    """(file, triples) of all files of an ontology, imported ones last, and how the imports were found."""
    from stratagraph.ontology.read import read_file

    paths = list(dict.fromkeys(Path(file).resolve() for file in files))
    if not paths:
        raise OntologyError("no ontology file is given", hint="name one under ontology.files in stratagraph.yaml")
    graphs = {path: read_file(path) for path in paths}
    own = {path: header_of(graph) for path, graph in graphs.items()}
    other = header or cache(read_header)
    found = find_imports(paths, [Path(place).resolve() for place in catalog], lambda path: own.get(path) or other(path))
    graphs |= {path: read_file(path) for path in found.imported}
    shipped = data_path("ontologies", "core.ttl")
    if shipped in (path for _, path in found.resolved):
        graphs[shipped] = read_file(shipped)
    return list(graphs.items()), found


def made_of(graphs: list[tuple[Path, rdflib.Graph]], found: Found) -> Ontology:
    """The ontology in the triples of its files."""
    from stratagraph.ontology.build import build

    ontology = build(graphs, found.missing)
    if not ontology.classes and not ontology.properties:
        raise OntologyError(
            "the ontology declares no class and no property, so it can match nothing",
            where=", ".join(str(path) for path, _ in graphs), hint="check that these are OWL or RDFS files",
        )  # fmt: skip
    return ontology


def load_project(project: Project) -> Ontology:
    """The project's ontology, its imports resolved from its catalogue."""
    memory = _headers(project)
    graphs, found = read_graphs(own_files(project), catalog_places(project), memory)
    memory.save()
    return made_of(graphs, found)


def own_files(project: Project) -> list[Path]:
    """The files that the config names, absolute; without those that they import."""
    return [project.resolve(file) for file in project.config.ontology.files]


def catalog_places(project: Project) -> list[Path]:
    """The files and folders of the project's catalogue, absolute."""
    return [project.resolve(place) for place in project.config.ontology.catalog]


def ontology_files(project: Project) -> list[Path]:
    """The project's ontology files, absolute, and the files of the catalogue that they import."""
    files, places = own_files(project), catalog_places(project)
    if not places:
        return files
    memory = _headers(project)
    found = find_imports(files, places, memory)
    memory.save()
    return [*files, *found.imported]


def _headers(project: Project) -> HeaderMemory:
    return HeaderMemory(project.data_dir / "ontology_headers.json")


def files_fingerprint(project: Project) -> str:
    """Fingerprint of the bytes of the files that the project's ontology is made of: equal means that it is the same.

    Of the catalogue only the files that are really imported count. The vocabulary that ships always does.
    """
    files = [*ontology_files(project), data_path("ontologies", "core.ttl")]
    return fingerprint(STAGE, VERSION, *(digest(path) for path in files))


def update_ontology(project: Project) -> OntologyResult:
    """Bring `graph.ontology_*` in line with the project's ontology files, and check the names in its mappings."""
    files = fingerprint(files_fingerprint(project), mapped_terms(project))
    if project.warehouse.exists():
        with project.read() as connection:
            known = _known(connection, project, files)
        if known is not None:
            return known
    ontology = load_project(project)
    check_mapping(project, ontology)
    tables = _tables(ontology)
    result = OntologyResult(
        changed=True, classes=len(ontology.classes), properties=len(ontology.properties),
        implications=tables["implications"].num_rows, single_valued=sum(p.single_valued for p in ontology.properties.values()),
        missing_imports=len(ontology.missing_imports), content_hash=ontology.content_hash, warning=_warning(project, ontology),
    )  # fmt: skip
    content = fingerprint(VERSION, ontology.content_hash)
    with project.write() as connection:
        changed = read_watermark(connection, project, STAGE, "content") != content
        with transaction(connection):
            if changed:
                for name, rows in tables.items():
                    connection.register("ontology_rows", rows)
                    connection.execute(load_sql("ontology", f"delete_{name}"), {"dataset": project.config.dataset})
                    connection.execute(load_sql("ontology", f"insert_{name}"), {"dataset": project.config.dataset})
                    connection.unregister("ontology_rows")
            # The files may differ where their content does not: the next run need not read them either.
            summary = json.dumps({"files": files, "result": asdict(result)}, sort_keys=True)
            for scope, value in (("content", content), ("files", summary)):
                write_watermark(connection, project, STAGE, value, scope)
    return replace(result, changed=changed)


def _warning(project: Project, ontology: Ontology) -> str:
    """What the user should know, though it is no error."""
    warnings = deprecations(project, ontology)
    if ontology.missing_imports:
        names = ", ".join(ontology.missing_imports)
        warnings.append(f"imported, but neither among ontology.files nor in ontology.catalog, so not loaded: {names}")
    if not any(prop.kind == "object" for prop in ontology.properties.values()):
        warnings.append("the ontology has no object property, so no relation can be read from text")
    return "; ".join(warnings)


def _known(connection: duckdb.DuckDBPyConnection, project: Project, files: str) -> OntologyResult | None:
    """What the last run found, if it read the same files."""
    last = read_watermark(connection, project, STAGE, "files")
    summary = json.loads(last) if last else {}
    return OntologyResult(**summary["result"] | {"changed": False}) if summary.get("files") == files else None


def _tables(ontology: Ontology) -> dict[str, pa.Table]:
    properties = [
        {"predicate": p.iri, "label": p.label, "single_valued": p.single_valued} for p in ontology.properties.values()
    ]
    implications = [{"predicate": p, "implied": i, "swapped": s} for p, i, s in ontology.implications()]
    exclusions = [{"predicate": p, "excluded": e, "swapped": s} for p, e, s in ontology.exclusions()]
    compositions = [{"first": f, "second": s, "implied": i} for f, s, i in ontology.compositions()]
    classes = [
        {"class": c.iri, "ancestor": ancestor, "label": c.label}
        for c in ontology.classes.values()
        for ancestor in sorted(c.ancestors)
    ]
    text, flag = pa.string(), pa.bool_()
    return {
        "properties": pa.Table.from_pylist(
            properties, pa.schema({"predicate": text, "label": text, "single_valued": flag}.items())
        ),
        "implications": pa.Table.from_pylist(
            implications, pa.schema({"predicate": text, "implied": text, "swapped": flag}.items())
        ),
        "exclusions": pa.Table.from_pylist(
            exclusions, pa.schema({"predicate": text, "excluded": text, "swapped": flag}.items())
        ),
        "compositions": pa.Table.from_pylist(compositions, pa.schema({"first": text, "second": text, "implied": text}.items())),
        "classes": pa.Table.from_pylist(classes, pa.schema({"class": text, "ancestor": text, "label": text}.items())),
    }
