"""The openai engine on the benchmark, with a model that knows the answers and gives them well or badly.

The model is a script at a real endpoint on loopback that answers with the annotated triples, once as they are and once spoiled
in each way of `tests/support/bad_answers.py`. With good answers this is the most that any model can reach here: what is missing
is what validation and grounding refuse of the annotation. With bad ones it is what the engine saves of them, and at how many
requests. No model and no network take part, and nothing is learnt from the test split.

    python benchmarks/text2kg/replay.py --data DIR [--sentences N]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from bad_answers import ITEMS, ONCE, Spoil
from openai_server import Endpoint, Reply, Request, start

from benchmarks.text2kg.files import Sentence, Task, as_written, read_tasks
from benchmarks.text2kg.metrics import score
from benchmarks.text2kg.predictions import predict
from stratagraph.config.model import ExtractionConfig
from stratagraph.extraction.openai.engine import OpenAIExtractor
from stratagraph.extraction.openai.vocabulary import Vocabulary
from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.model import ClassExpression, Ontology


@dataclass(frozen=True)
class Replayed:
    """What came of one way of answering.

    Args:
        given_up: chunks without a usable answer; refused: items that validation or grounding refused.
        milliseconds: CPU a sentence, with the scripted endpoint's own.
    """

    kind: str
    sentences: int
    requests: int
    given_up: int
    refused: int
    strict_f1: float
    recall: float
    milliseconds: float


def gold_answer(sentence: Sentence, vocabulary: Vocabulary) -> str:
    """The annotated triples as a model would write them: entities with the classes that domain and range say."""
    ontology, names = vocabulary.ontology, vocabulary.names
    properties = {prop.label.strip(): prop for prop in ontology.properties.values()}
    entities: dict[tuple[str, str], list[dict[str, str]]] = {}
    relations = []
    for annotated, label, value in sentence.triples:
        prop = properties[label]
        subject, obj = (_in_text(name, sentence.text) for name in (annotated, as_written(value, sentence.text)))
        attributes = entities.setdefault((subject, _class(prop.domain, vocabulary)), [])
        if prop.kind == "data":
            attributes.append({"property": names[prop.iri], "value": obj})
            continue
        entities.setdefault((obj, _class(prop.range, vocabulary)), [])
        relations.append({
            "subject": subject, "predicate": names[prop.iri], "object": obj, "quote": sentence.text, "ended": False,
            "valid_from": None, "valid_to": None, "valid_from_resolved": None, "valid_to_resolved": None,
        })  # fmt: skip
    things = [{"name": name, "class": cls, "attributes": attributes} for (name, cls), attributes in entities.items()]
    return json.dumps({"entities": things, "relations": relations}, ensure_ascii=False)


@contextmanager
def replaying(task: Task, ontology: Ontology, spoil: Spoil | None = None) -> Iterator[tuple[OpenAIExtractor, Endpoint]]:
    """An engine whose model knows the answers; `spoil` is done to its first answer to each sentence."""
    config = ExtractionConfig(engine="openai", model="scripted", timeout_seconds=0.3, max_retries=2, answer_mode="schema")
    vocabulary = Vocabulary(ontology, config.ontology_tokens, config.mode)
    answers = {sentence.text: gold_answer(sentence, vocabulary) for sentence in task.test}

    def respond(request: Request) -> Reply:
        good = answers[request.text or ""]
        return spoil(good) if spoil and request.nth == 1 else Reply(good)

    with start(respond) as endpoint:
        yield OpenAIExtractor("none", endpoint.url, config, sleep=lambda seconds: None), endpoint


def measure(task: Task, ontology: Ontology, kind: str, spoil: Spoil | None, topics: bool) -> Replayed:
    """Read all test sentences of a task with answers of one kind."""
    with replaying(task, ontology, spoil) as (engine, endpoint):
        found = predict(task, engine, ontology, topics)
        requests = len(endpoint.requests)
    scores, count = score(task, found.triples), len(task.test)
    spent = 1000 * found.seconds / count
    return Replayed(kind, count, requests, found.given_up, found.refused, scores.strict_f1, scores.recall, spent)


def _in_text(name: str, text: str) -> str:
    """A name as the text writes it: annotations have other spaces and cases."""
    found = re.search(r"\s*".join(map(re.escape, name.replace(" ", ""))), text, re.IGNORECASE)
    return found.group() if found else name


def _class(expression: ClassExpression, vocabulary: Vocabulary) -> str:
    """A class that fits. Of a property that says nothing of its end a model has to take one of those it is shown."""
    shown = vocabulary.names
    return shown[min(expression[0])] if expression else min(shown[term.iri] for term in vocabulary.classes)


def main() -> None:
    """Print a row for each kind of answer, over all ontologies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--sentences", type=int, default=20, help="of each ontology for bad answers; good ones are replayed for all"
    )
    parser.add_argument("--topics", action="store_true", help="tell each sentence's main subject, as a document's title would")
    settings = parser.parse_args()
    tasks = read_tasks(settings.data)
    ontologies = {task.name: load_ontology([task.owl]) for task in tasks}
    print("| answers | sentences | requests a sentence | given up | items refused | recall | strict F1 | ms CPU |")
    print("|---|---|---|---|---|---|---|---|")
    some = [Task(**{**vars(task), "test": task.test[: settings.sentences]}) for task in tasks]
    for kind, spoil, chosen in [("all, good", None, tasks), *((name, bad, some) for name, bad in (ITEMS | ONCE).items())]:
        rows = [measure(task, ontologies[task.name], kind, spoil, settings.topics) for task in chosen]
        print(f"| {kind} | {' | '.join(_columns(rows))} |", flush=True)


def _columns(rows: list[Replayed]) -> list[str]:
    """Sums over ontologies, and means: of scores as the benchmark takes them, of CPU by sentences."""
    count = sum(row.sentences for row in rows)
    counts = [sum(getattr(row, name) for row in rows) for name in ("given_up", "refused")]
    means = [sum(getattr(row, name) for row in rows) / len(rows) for name in ("recall", "strict_f1")]
    spent = sum(row.milliseconds * row.sentences for row in rows) / count
    requests = sum(row.requests for row in rows) / count
    return [str(count), f"{requests:.2f}", *map(str, counts), *(f"{value:.3f}" for value in means), f"{spent:.1f}"]


if __name__ == "__main__":
    main()
