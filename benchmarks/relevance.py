"""The benchmark of large ontologies: which terms of schema.org a model is shown for a text, and what the request takes.

`python benchmarks/relevance.py FILE.ttl [--budget TOKENS]`, with the file of schema.org 30.0. The texts, and the terms that a
person wrote down for each before the choice was first run, are `tests/extraction/schemaorg_chunks.yaml`; no weight was set on
those held out. A term is found if a model is shown it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import yaml

if __package__ in (None, ""):  # started as a file: the checkout is where the packages are
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stratagraph.documents.tokens import count_tokens
from stratagraph.extraction.openai.prompt import answer_schema, messages
from stratagraph.extraction.openai.vocabulary import BUDGET, Vocabulary
from stratagraph.extraction.protocol import ChunkInput
from stratagraph.ontology.load import load_ontology

TEXTS = Path(__file__).resolve().parents[1] / "tests/extraction/schemaorg_chunks.yaml"


def measure(vocabulary: Vocabulary, text: dict[str, Any]) -> dict[str, Any]:
    """One text: terms shown, tokens of the request, share of the expected terms, and CPU."""
    chunk = ChunkInput(text["text"], datetime(2024, 6, 15, tzinfo=UTC), "en")
    started = time.process_time()
    asked, schema = messages(vocabulary, chunk), answer_schema(vocabulary, chunk)
    cpu = 1000 * (time.process_time() - started)
    selection = vocabulary.selection(chunk.text)
    shown = {vocabulary.names[term.iri] for term in (*selection.classes, *selection.relations, *selection.attributes)}
    found = {kind: [bool({*name.split("|")} & shown) for name in text[kind]] for kind in ("classes", "properties")}
    prompt = sum(count_tokens(message["content"]) for message in asked)
    return {
        "held out": bool(text.get("held_out")), "terms": len(shown), "prompt": prompt,
        "schema": count_tokens(json.dumps(schema, separators=(",", ":"))), "classes": mean(found["classes"]),
        "all": mean([*found["classes"], *found["properties"]]), "cpu": cpu,
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the ontology: schema.org 30.0")
    parser.add_argument("--budget", type=int, default=BUDGET, help="extraction.ontology_tokens")
    options = parser.parse_args(arguments)
    vocabulary = Vocabulary(load_ontology([options.file]), options.budget)
    started = time.process_time()
    vocabulary.selection("x")
    cpu = time.process_time() - started
    print(f"{len(vocabulary.names):,} terms; once per ontology {cpu:.1f} s of CPU; budget {options.budget}\n")
    print("| text | terms | prompt | schema | classes found | all found | CPU ms |\n|---|---|---|---|---|---|---|")
    rows = [measure(vocabulary, text) | {"about": text["about"]} for text in yaml.safe_load(TEXTS.read_text(encoding="utf-8"))]
    for held_out in (False, True):
        part = [row for row in rows if row["held out"] is held_out]
        means = {key: mean(row[key] for row in part) for key in ("terms", "prompt", "schema", "classes", "all", "cpu")}
        for row in (*part, means | {"about": "**mean of those held out**" if held_out else "**mean**"}):
            print(
                f"| {row['about']} | {row['terms']:.0f} | {row['prompt']:.0f} | {row['schema']:.0f} | {row['classes']:.2f} | "
                f"{row['all']:.2f} | {row['cpu']:.0f} |"
            )


if __name__ == "__main__":
    main()
