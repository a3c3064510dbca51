"""`stratagraph init`: writes a starter project. The starter's text ships as files of `stratagraph/config/`."""

from __future__ import annotations

from pathlib import Path

import click

from stratagraph import config
from stratagraph.cli.output import err
from stratagraph.errors import ConfigError

# What is written -> the template. A .gitignore keeps the data out of a repository.
_FILES = {"stratagraph.yaml": "starter.yaml", "ontology.ttl": "ontology.ttl", ".gitignore": None}
_GITIGNORE = "# Stratagraph's data directory: derived, large, and as confidential as its sources.\n/data/\n"


@click.command("init")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def init(directory: Path) -> None:
    """Write a commented starter project into DIR. Nothing that exists is overwritten.

    \b
    Example:
      stratagraph init my-graph && cd my-graph && stratagraph build
    """
    existing = [name for name in ("stratagraph.yaml", "ontology.ttl") if (directory / name).exists()]
    if existing:
        raise ConfigError(
            f"{' and '.join(existing)} already there; nothing was written", where=str(directory), hint="choose another folder"
        )
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "documents").mkdir(exist_ok=True)
    for name, template in _FILES.items():
        text = _GITIGNORE if template is None else (Path(config.__file__).parent / template).read_text(encoding="utf-8")
        if template is not None or not (directory / name).exists():
            with (directory / name).open("x", encoding="utf-8") as file:
                file.write(text)
    console = err()
    console.print(f"Written to {directory}: stratagraph.yaml, ontology.ttl, documents/", markup=False)
    console.print("Next: put texts into documents/ or a database into stratagraph.yaml, then run `stratagraph build` there.")
