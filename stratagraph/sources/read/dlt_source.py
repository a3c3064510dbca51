"""Reads any dlt source: finds its function by import path, calls it, and offers the resources that are wanted.

The function may stand in an installed package or in a module of the project's folder. It is code that the config names,
and runs as such. What becomes of the rows is not known here.
"""

from __future__ import annotations

import copy
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from stratagraph.config.problems import nearest
from stratagraph.config.sources import DltSource
from stratagraph.errors import SourceError, StratagraphError
from stratagraph.project import Project
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.reader import Opened, Since
from stratagraph.sources.read.redaction import Redaction


class DltReader:
    """A dlt source as a source of tables (see `reader.Reader`)."""

    def __init__(self, project: Project, name: str, config: DltSource) -> None:
        self._root = project.root
        self._name = name
        self._config = config

    @property
    def where(self) -> str:
        return f"sources.{self._name}: {self._config.source}"

    def fingerprint(self) -> str | None:
        """None: only reading can tell."""
        return None

    @contextmanager
    def open(self, since: Since) -> Iterator[Opened]:
        """Call the source's function. What it imports while it is read comes from the project's folder as well."""
        shown = Redaction(self._config.arguments)
        try:
            with project_modules(self._root, self._config.source.partition(":")[0]):
                from stratagraph.sources.read.observed import Observer

                yield Observer(self.where, since).opened(self._wanted(self._called(self._imported())))
        except SourceError as error:
            # `from None`: what a source's own code chains may show a key.
            place = error.where if error.where and error.where != dataset_name(self._name) else self.where
            raise SourceError(shown(error.what), where=shown(place), hint=error.hint) from None

    def function(self) -> Any:
        """The function that makes the source; importing it runs its module, and nothing is loaded."""
        with project_modules(self._root, self._config.source.partition(":")[0]):
            return self._imported()

    def _imported(self) -> Any:
        module_name, _, function_name = self._config.source.partition(":")
        hint = "source is 'package.module:function'; a module of your own stands beside stratagraph.yaml"
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            missing = error.name or module_name
            raise SourceError(f"there is no module {missing}", where=self.where, hint=hint) from error
        except Exception as error:  # a module's own code may raise anything
            what = f"the module {module_name} can't be imported: {type(error).__name__}: {error}"
            raise SourceError(what, where=self.where) from error
        function = getattr(module, function_name, None)
        if not callable(function):
            offered = sorted(name for name, value in vars(module).items() if _is_source(value))
            what = f"{module_name} has no source or resource {function_name!r}"
            raise SourceError(what, where=self.where, hint=f"its sources are: {', '.join(offered) or '(none)'}")
        return function

    def _called(self, function: Any) -> list[Any]:
        """The resources of what the function returns."""
        from dlt.extract import DltResource
        from dlt.extract.source import DltSource as Source

        try:
            arguments = copy.deepcopy(self._config.arguments)
            # A resource without arguments is one object for the whole process: what a load adds must not stay.
            whole = isinstance(function, DltResource) and not arguments and not function.requires_args
            made = function.with_name(function.name) if whole else function(**arguments)
        except StratagraphError:
            raise
        except Exception as error:  # a source's own code may raise anything
            what = f"the function can't be called: {type(error).__name__}: {error}"
            raise SourceError(what, where=self.where, hint="check arguments") from error
        made = list(made.resources.values()) if isinstance(made, Source) else made
        resources = list(made) if isinstance(made, (list, tuple)) else [made]
        if not resources or not all(isinstance(resource, DltResource) for resource in resources):
            raise SourceError(
                f"the function returns {type(made).__name__}, which is no dlt source", where=self.where,
                hint="it returns a dlt source, a dlt resource, or a list of resources",
            )  # fmt: skip
        return resources

    def _wanted(self, resources: list[Any]) -> list[Any]:
        offered = {resource.name: resource for resource in resources}
        if self._config.resources is None:
            wanted = [resource for resource in resources if resource.selected]
        else:
            for name in self._config.resources:
                if name not in offered:
                    guess = nearest(name, sorted(offered))
                    hint = f"did you mean {guess}?" if guess else f"the resources are: {', '.join(sorted(offered))}"
                    raise SourceError(f"the source has no resource {name!r}", where=self.where, hint=hint)
            wanted = [offered[name] for name in self._config.resources]
        if not wanted:
            raise SourceError("no resource is selected", where=self.where, hint=f"choose from: {', '.join(sorted(offered))}")
        return wanted


def _is_source(value: Any) -> bool:
    from dlt.extract import DltResource
    from dlt.extract.reference import SourceFactory

    return isinstance(value, (DltResource, SourceFactory))


@contextmanager
def project_modules(root: Path, wanted: str) -> Iterator[None]:
    """Modules of a project's folder can be imported in the body, and are forgotten after it.

    Two projects may each have a `sources.py`: without this, the second would get the first one's.

    Args:
        root: the folder.
        wanted: module that comes from there if it is there, even if another of its name was imported.
    """
    top = wanted.partition(".")[0]
    own = (root / f"{top}.py").is_file() or (root / top / "__init__.py").is_file()
    if own and (top in sys.stdlib_module_names or top == "dlt"):
        raise SourceError(f"a module of the project is called {top}, as one of Python's is", where=str(root), hint="rename it")
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if own and name.partition(".")[0] == top}
    before, path, no_bytecode = set(sys.modules), str(root), sys.dont_write_bytecode
    sys.path.insert(0, path)
    sys.dont_write_bytecode = True  # a module that is edited twice in a second would be read as it was
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.dont_write_bytecode = no_bytecode
        if path in sys.path:
            sys.path.remove(path)
        for name, module in list(sys.modules.items()):
            if name not in before and _stands_in(root, name, module):
                del sys.modules[name]
        sys.modules.update(hidden)


def _stands_in(root: Path, name: str, module: ModuleType | None) -> bool:
    """Whether a module is one of the folder itself, and not of an environment that lies in it."""
    top = name.partition(".")[0]
    own = str(root / top)
    # What the import system noted: a module may answer any other attribute with something of its own making.
    spec = vars(module).get("__spec__") if module is not None else None
    places = [getattr(spec, "origin", None), *(getattr(spec, "submodule_search_locations", None) or ())]
    return any(place and (place in (own, f"{own}.py") or place.startswith(f"{own}/")) for place in places)
