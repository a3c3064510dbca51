"""Asks an OWL reasoner whether an ontology contradicts itself: HermiT, which comes with owlready2 and needs Java.

An optional check, and the only use of a reasoner: belief does its own inference. HermiT runs in a process of its own, over the
triples of the files, without their imports' addresses, so that nothing is fetched; its time and memory are limited.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import rdflib
from rdflib import OWL

from stratagraph.errors import OntologyError

TIMEOUT = 120  # seconds
MEMORY = 1_000  # MB of Java's heap
_NOTHING = f"<{OWL.Nothing}>"
_EQUIVALENT = re.compile(r"^EquivalentClasses\((.*)\)\s*$", re.MULTILINE)
_IRI = re.compile(r"<([^<>]+)>")


@dataclass(frozen=True)
class Reasoned:
    """What the reasoner says.

    Args:
        ran: whether it could be asked; `note` says why not.
        consistent: whether anything can be true of the ontology at all.
        unsatisfiable: IRIs of classes that can have no member, sorted.
    """

    ran: bool
    consistent: bool = True
    unsatisfiable: tuple[str, ...] = ()
    note: str = ""

    @property
    def sound(self) -> bool:
        return self.consistent and not self.unsatisfiable


def reason(files: Iterable[Path], catalog: Iterable[Path] = (), *, timeout: float = TIMEOUT, memory: int = MEMORY) -> Reasoned:
    """Classify ontology files, with what they import from the catalogue.

    Args:
        timeout: seconds; memory: MB.

    Raises:
        OntologyError: a file cannot be read.
    """
    from stratagraph.ontology.load import read_graphs

    java = shutil.which("java")
    if java is None:
        return Reasoned(
            False, note="the reasoner was not asked: there is no `java` on the path; install a Java runtime, 11 or later"
        )
    merged = rdflib.Graph()
    for _, graph in read_graphs(files, catalog)[0]:
        merged += graph
    merged.remove((None, OWL.imports, None))
    with tempfile.TemporaryDirectory(prefix="stratagraph-reasoner-") as folder:
        path = Path(folder) / "ontology.nt"
        merged.serialize(path, format="nt", encoding="utf-8")
        return _ask(java, path, timeout, memory)


def _ask(java: str, path: Path, timeout: float, memory: int) -> Reasoned:
    import owlready2

    jars = Path(owlready2.__file__).parent / "hermit"
    command = [
        java, f"-Xmx{memory}M", "-cp", f"{jars}{os.pathsep}{jars / 'HermiT.jar'}", "org.semanticweb.HermiT.cli.CommandLine",
        "-c", "-O", "--ignoreUnsupportedDatatypes", path.as_uri(),
    ]  # fmt: skip
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "SystemRoot") if name in os.environ}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Reasoned(False, note=f"the reasoner was stopped after {timeout:g} seconds; a large ontology may need more time")
    except OSError as error:
        return Reasoned(False, note=f"the reasoner could not be started: {error.strerror}")
    said = done.stdout + done.stderr
    if "InconsistentOntologyException" in said or "Inconsistent ontology" in said:
        return Reasoned(True, consistent=False, note="nothing can be true of this ontology: its axioms contradict each other")
    if done.returncode != 0:
        why = "it ran out of memory" if "OutOfMemoryError" in said else _first_line(said)
        return Reasoned(False, note=f"the reasoner gave up: {why}")
    return Reasoned(True, unsatisfiable=_unsatisfiable(done.stdout))


def _unsatisfiable(said: str) -> tuple[str, ...]:
    found: set[str] = set()
    for members in _EQUIVALENT.findall(said):
        if _NOTHING in members or "owl:Nothing" in members:
            found.update(iri for iri in _IRI.findall(members) if not iri.startswith(str(OWL)))
    return tuple(sorted(found))


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[0] if lines else "it says nothing"


def check_sound(files: Iterable[Path], catalog: Iterable[Path] = ()) -> str:
    """What the reasoner says, in one line.

    Raises:
        OntologyError: the ontology contradicts itself, or has classes without possible members.
    """
    paths = list(files)
    found = reason(paths, catalog)
    if found.sound:
        return found.note or "the reasoner found no contradiction, and every class can have members"
    where = ", ".join(map(str, paths))
    if not found.consistent:
        raise OntologyError(found.note, where=where, hint="look at individuals of disjoint classes, and at owl:Nothing")
    raise OntologyError(
        f"{len(found.unsatisfiable)} classes can have no member: {', '.join(found.unsatisfiable[:5])}", where=where,
        hint="a class below two disjoint ones, or whose restrictions exclude each other, is empty",
    )  # fmt: skip
