"""A small whole project: a database with a foreign key, a recorded source, press notes, an ontology."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

ONTOLOGIES = Path(__file__).parents[2] / "ontologies"

CONFIG = """
version: 1
data_dir: data
base_iri: https://example.org/small/
prefixes: {ex: "https://example.org/stratagraph/demo#"}
ontology: {files: [core.ttl, demo.ttl]}
sources:
  shop:
    type: sql
    url: sqlite:///shop.db
    mapping:
      customer: {class: "ex:Organization", label: "{name}"}
      purchase: {class: "ex:Order", label: "order {id}", references: {customer_id: "ex:placedBy"}}
  holders:
    type: recorded
    path: holders/*.json
    recorded_at: "%Y-%m-%dT%H%M%SZ"
    mapping:
      class: "ex:Person"
      keys: [id.code]
      label: ["{name.first} {name.last}"]
      edges:
        - each: terms
          predicate: "ex:holdsOffice"
          object_class: "ex:Office"
          object_ref: "office/{type}"
          object_labels: {office/mayor: mayor}
          valid_from: start
          valid_to: end
documents:
  press: {type: episodes, path: press.json}
extraction: {engine: embedded}
snapshot: {keep: 2}
schedule: {cron: "15 4 * * *", timezone: UTC}
"""

EPISODES = [
    ("p1", "2015-01-15", "Elena Novak works at Delta Foods since January 2015. Delta Foods is based in Oslo."),
    (
        "p2",
        "2015-08-15",
        "Elena Novak moved from Delta Foods to Cobalt Labs in August 2015. Elena Novak met Bruno Ricci in Lima.",
    ),
    ("p3", "2016-02-15", "Bruno Ricci works at Cobalt Labs since February 2016."),
]


def write_small_project(folder: Path) -> Path:
    """Write the project's files; returns its config."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("core.ttl", "demo.ttl"):
        shutil.copy(ONTOLOGIES / name, folder / name)
    connection = sqlite3.connect(folder / "shop.db")
    connection.executescript("""
        CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), total REAL);
        INSERT INTO customer VALUES (1, 'Acme Mill'), (2, 'Blue Harbor');
        INSERT INTO purchase VALUES (10, 1, 5.5), (11, 1, 7.0), (12, 2, 1.25);
    """)
    connection.close()
    holders = folder / "holders"
    holders.mkdir(exist_ok=True)
    person = {"id": {"code": "H1"}, "name": {"first": "Ada", "last": "Stone"}}
    first = [person | {"terms": [{"type": "mayor", "start": "2001-01-01", "end": "2005-01-01"}]}]
    second = [person | {"terms": [{"type": "mayor", "start": "2001-01-01", "end": "2006-01-01"}]}]
    (holders / "2013-01-01T000000Z.json").write_text(json.dumps(first), encoding="utf-8")
    (holders / "2014-01-01T000000Z.json").write_text(json.dumps(second), encoding="utf-8")
    write_press(folder, EPISODES)
    config = folder / "stratagraph.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    return config


def write_press(folder: Path, episodes: list[tuple[str, str, str]]) -> None:
    listed = [{"id": name, "ref_time": f"{day}T00:00:00Z", "text": text} for name, day, text in episodes]
    (folder / "press.json").write_text(json.dumps({"episodes": listed}), encoding="utf-8")


@pytest.fixture
def small_config(tmp_path: Path) -> Path:
    """The config of a fresh small project."""
    return write_small_project(tmp_path / "small")
