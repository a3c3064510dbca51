"""The benchmark of extraction, on a set of its own in the benchmark's form; and its metrics, by hand."""

from __future__ import annotations

import json
import sys

import pytest
from films import FILMS, FORMS, KNOWN, annotated

from benchmarks import text2kgbench
from benchmarks.text2kg.files import Sentence, Task, as_annotated, as_written, read_tasks
from benchmarks.text2kg.metrics import score


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Films as one ontology of the benchmark: the last three are the test split."""
    root = tmp_path_factory.mktemp("text2kg")
    for name in ("ontologies/owl", "train", "test", "ground_truth"):
        (root / "half" / name).mkdir(parents=True)
    half = root / "half"
    labels = ("director", "publication year", "country of origin")
    described = {"concepts": [{"label": "film"}], "relations": [{"label": label} for label in labels]}
    (half / "ontologies" / "1_film_ontology.json").write_text(json.dumps(described), encoding="utf-8")
    (half / "ontologies" / "owl" / "ont_1_film.ttl").write_text(FILMS, encoding="utf-8")
    rows = annotated()
    train = [
        {"sent": row["text"], "sub_label": t["subject"], "rel_label": t["predicate"], "obj_label": t["object"]}
        for row in rows[:-3]
        for t in row["triples"]
    ]
    truth = [
        {
            "sent": row["text"],
            "triples": [{"sub": t["subject"], "rel": t["predicate"], "obj": as_annotated(t["object"])} for t in row["triples"]],
        }
        for row in rows[-3:]
    ]
    for name, content in (("train/ont_1_film_train", train), ("ground_truth/ont_1_film_ground_truth", truth)):
        (half / f"{name}.jsonl").write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    assert len(KNOWN) == len(rows) and len(FORMS) == 3
    return root


@pytest.mark.parametrize("options", [(), ("--extractor", "openai"), ("--topics",)], ids=["embedded", "openai", "topics"])
def test_all_ontologies_are_measured(folder, tmp_path, monkeypatch, capsys, options):
    monkeypatch.setattr(sys, "argv", ["text2kgbench", "--data", str(folder), "--json", "--folder", str(tmp_path), *options])
    text2kgbench.main()
    (measured,) = json.loads(capsys.readouterr().out)
    scores = measured["scores"]
    assert measured["sentences"] == 3 and scores["conformance"] == 1.0
    assert 0.3 < scores["strict_f1"] <= scores["official_f1"] <= 1.0  # "French" is no word for France to the scripted model


def test_the_strict_score_counts_what_the_official_one_drops():
    sentence = Sentence("Alien is by Ridley Scott.", (("Alien", "director", "Ridley Scott"),))
    task = Task("ont_1_film", None, ("director", "genre"), ("film",), (), (sentence,))  # type: ignore[arg-type]
    right, other = ("alien", "director", "Ridley  Scott"), ("Alien", "genre", "horror")
    for predicted, official, strict in (([right], 1.0, 1.0), ([right, other], 1.0, 2 / 3), ([other], 0.0, 0.0), ([], 0.0, 0.0)):
        found = score(task, [predicted])
        assert (found.official_f1, found.strict_f1) == (official, pytest.approx(strict))
    invented = score(task, [[right, ("Jaws", "sequel", "horror")]])
    assert (invented.conformance, invented.subject_hallucination, invented.object_hallucination) == (0.5, 0.5, 0.5)
    assert score(task, [[("Alien", "genre", "film")]]).object_hallucination == 0.0  # the label of a class


@pytest.mark.parametrize(
    ("annotation", "text", "written"),
    [
        ("01 January 1979", "a 1979 film", "1979"),
        ("25 May 1979", "released on May 25, 1979", "May 25, 1979"),
        ("05 May 1979", "released on 5 May 1979", "5 May 1979"),
        ("25 May 1979", "a 1979 film", "25 May 1979"),
        ("Alien", "alien", "Alien"),
    ],
)
def test_dates_as_written_and_as_annotated(annotation, text, written):
    assert as_written(annotation, text) == written
    assert as_annotated(written) == annotation


def test_other_numbers_are_left_out(folder):
    assert [task.name for task in read_tasks(folder)] == ["ont_1_film"]
    assert read_tasks(folder, {"2"}) == []
