"""Loads a project's ontology and keeps what the merge needs of it in the warehouse.

`load_ontology` is a function of the files alone; `update_ontology` writes three small tables, in one transaction and only
when the ontology says something else than before. owlready2 and rdflib are imported when a file is read, not before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from stratagraph.errors import OntologyError
from stratagraph.ontology.mapped import check_mapping, mapped_terms
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import data_path, load_sql
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

VERSION = "1"
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


def load_ontology(files: Iterable[str | Path]) -> Ontology:
    """Load ontology files of any supported syntax as one ontology. A file that cannot be used is an OntologyError."""
    from stratagraph.ontology.build import build, imports_core
    from stratagraph.ontology.read import read_file

    paths = [Path(file).resolve() for file in files]
    if not paths:
        raise OntologyError("no ontology file is given", hint="name one under ontology.files in stratagraph.yaml")
    graphs = [(path, read_file(path)) for path in paths]
    if imports_core(graph for _, graph in graphs):  # it ships with the library, so it is never missing
        core = data_path("ontologies", "core.ttl")
        graphs.append((core, read_file(core)))
    ontology = build(graphs)
    if not ontology.classes and not ontology.properties:
        raise OntologyError(
            "the ontology declares no class and no property, so it can match nothing", where=", ".join(map(str, paths)),
            hint="check that these are OWL or RDFS files",
        )  # fmt: skip
    return ontology


def ontology_files(project: Project) -> list[Path]:
    """The project's ontology files, absolute."""
    return [project.resolve(file) for file in project.config.ontology.files]


def files_fingerprint(project: Project) -> str:
    """Fingerprint of the bytes of the project's ontology files: equal means that loading them again is not needed."""
    digests = []
    for path in ontology_files(project):
        try:
            with path.open("rb") as stream:
                digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
        except OSError as error:
            raise OntologyError(
                f"the ontology file cannot be read: {error.strerror}",
                where=str(path),
                hint="check ontology.files in stratagraph.yaml",
            ) from error
    return fingerprint(STAGE, VERSION, *digests)


def update_ontology(project: Project) -> OntologyResult:
    """Bring `graph.ontology_*` in line with the project's ontology files, and check the names in its mappings."""
    files = fingerprint(files_fingerprint(project), mapped_terms(project))
    if project.warehouse.exists():
        with project.read() as connection:
            known = _known(connection, project, files)
        if known is not None:
            return known
    ontology = load_ontology(ontology_files(project))
    check_mapping(project, ontology)
    tables = _tables(ontology)
    result = OntologyResult(
        changed=True, classes=len(ontology.classes), properties=len(ontology.properties),
        implications=tables["implications"].num_rows, single_valued=sum(p.single_valued for p in ontology.properties.values()),
        missing_imports=len(ontology.missing_imports), content_hash=ontology.content_hash, warning=_warning(ontology),
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


def _warning(ontology: Ontology) -> str:
    """What the user should know, though it is no error."""
    warnings = []
    if ontology.missing_imports:
        names = ", ".join(ontology.missing_imports)
        warnings.append(f"imported, but not among ontology.files, so not loaded: {names}")
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
        "classes": pa.Table.from_pylist(classes, pa.schema({"class": text, "ancestor": text, "label": text}.items())),
    }
