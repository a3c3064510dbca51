"""Records without a mapping, with keys of several fields, with what is nested in them, and with validity of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from staged import Clock, Make, landing, load_all, quarantine, statements

from stratagraph.errors import ConfigError, SourceError
from stratagraph.forget import forget
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

CLUB: dict[str, Any] = {"type": "recorded", "path": "club/*", "recorded_at": "%Y-%m-%d", "keys": [["nation", "no"]]}
ANN = {
    "nation": "FR", "no": 7, "name": {"full": "Ann A."}, "tags": ["x", 1, True, None],
    "terms": [
        {"type": "chair", "start": "2020-01-01", "parties": [{"name": "Blue"}, {"name": "Red"}], "codes": ["a", "b"]},
        {"type": "clerk", "start": "2021-01-01"},
    ],
}  # fmt: skip


def write(folder: Path, name: str, records: Any) -> None:
    path = folder / "club" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(records), encoding="utf-8")


def staged(project: Project) -> list[dict[str, Any]]:
    load_all(project)
    stage_rows(project)
    return statements(project)


def test_a_record_without_a_mapping_says_everything(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01.json", [ANN])
    project = make_project(club=CLUB | {"nested_keys": {"terms.parties": ["name"]}})
    rows = staged(project)
    ann = "club/nation=FR;no=7"
    prefix = "https://g.test/"
    found = {row["subject"]: row for row in rows if row["kind"] == "node"}
    assert {ref: (row["predicate"], row["value"]["label"], row["facet"]) for ref, row in found.items()} == {
        ann: ("club/record", "club FR 7", "club/record"),
        f"{ann}/terms/0": ("club/record.terms", "terms 1", "club/record.terms"),
        f"{ann}/terms/1": ("club/record.terms", "terms 2", "club/record.terms"),
        f"{ann}/terms/0/parties/name=Blue": ("club/record.terms.parties", "Blue", "club/record.terms.parties"),
        f"{ann}/terms/0/parties/name=Red": ("club/record.terms.parties", "Red", "club/record.terms.parties"),
    }
    assert found[ann]["value"]["properties"] == {
        f"{prefix}club/record#{name}": value
        for name, value in {"nation": "FR", "no": 7, "name.full": "Ann A.", "tags": ["x", 1, True, None]}.items()
    }
    assert found[f"{ann}/terms/0"]["value"]["properties"] == {
        f"{prefix}club/record.terms#codes": ["a", "b"],
        f"{prefix}club/record.terms#start": "2020-01-01",
        f"{prefix}club/record.terms#type": "chair",
    }
    assert {row["source_key"] for row in rows} == {'{"nation":"FR","no":7}'}
    facts = {(row["subject"], row["predicate"], row["object"], row["value"]["fact"]) for row in rows if row["kind"] == "edge"}
    assert facts == {
        (ann, "club/record#terms", f"{ann}/terms/0", "club FR 7 terms terms 1"),
        (ann, "club/record#terms", f"{ann}/terms/1", "club FR 7 terms terms 2"),
        (
            f"{ann}/terms/0", "club/record.terms#parties", f"{ann}/terms/0/parties/name=Blue", "terms 1 parties Blue",
        ),
        (f"{ann}/terms/0", "club/record.terms#parties", f"{ann}/terms/0/parties/name=Red", "terms 1 parties Red"),
    }  # fmt: skip
    assert {(row["valid_from"], row["valid_to"]) for row in rows} == {("-infinity", "infinity")}


def test_a_field_that_is_sometimes_a_list_and_fields_called_like_our_own(make_project: Make, tmp_path: Path) -> None:
    names = ["file", "position", "record_id", "ref", "label", "class", "fields", "members", "source", "state", "item", "rank"]
    names += ["keys", "valid_from", "path", "load_id", "version", "landed", "key", "part", "i", "n", "index", "order", "value"]
    odd = {name: f"a {name}" for name in names}
    records = [{"no": 1, "tags": "x", "posts": [odd | {"to": 1}], **odd}, {"no": 2, "tags": ["x"], **odd}]
    write(tmp_path, "2024-01-01.json", records)
    edge = {"each": "posts", "predicate": "v:p", "object_class": "v:C", "object_ref": "{class}/{^label}"}
    mapping = {"label": ["{label}"], "unmapped": "keep", "edges": [edge], "properties": {"tags": "v:tags"}}
    rows = staged(make_project(club=CLUB | {"keys": ["no", "ref"], "mapping": mapping}))
    nodes = {row["subject"]: row["value"] for row in rows if row["kind"] == "node"}
    assert [nodes[f"club/no={no}"]["properties"]["https://v.test/tags"] for no in (1, 2)] == ["x", ["x"]]
    assert nodes["club/no=1"]["label"] == "a label"
    for name in names:
        assert nodes["club/no=1"]["properties"][f"https://g.test/club/record#{name}"] == f"a {name}"
    assert [row["object"] for row in rows if row["kind"] == "edge"] == ["club/a%20class/a%20label"]


def test_what_is_missing_of_a_key_of_several_fields_is_left_out(make_project: Make, tmp_path: Path) -> None:
    records = [{"nation": "FR", "no": ""}, {"no": 7}, {"nation": "F;no=7", "no": "="}, {"nation": None, "no": None, "x": 1}]
    write(tmp_path, "2024-01-01.json", records)
    project = make_project(club=CLUB | {"keys": [["nation", "no"], "no"]})
    assert {row["subject"] for row in staged(project)} == {"club/nation=FR", "club/no=7", "club/nation=F%3Bno%3D7;no=%3D"}
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("no_identifying_key", "club/2024-01-01.json record 3")
    ]


@pytest.mark.slow
def test_an_erased_record_with_a_key_of_several_fields_stays_away(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    write(tmp_path, "2024-01-01.json", [ANN, {"nation": "FR", "no": 8}, {"nation": "FR"}])
    project = make_project(club=CLUB)
    staged(project)
    commit_staged(project)
    assert forget(project, "subject", "https://g.test/club/nation=FR;no=7").counts.known
    write(tmp_path, "2024-02-01.json", [ANN, {"nation": "FR", "no": 8, "name": "new"}, {"nation": "FR"}])
    load_source(project, "club")
    with landing(project) as connection:
        assert connection.execute("SELECT DISTINCT no FROM club.record ORDER BY ALL").fetchall() == [("8",), (None,)]
        assert connection.execute("SELECT count(*) FROM club.record__terms").fetchall() == [(0,)]


def test_the_validity_of_records_and_items(make_project: Make, tmp_path: Path) -> None:
    records = [
        {"no": 1, "from": "20200101", "to": "20201231", "posts": [{"k": "a"}, {"k": "b", "end": "2020-06"}]},
        {"no": 2, "to": "20201231", "posts": []},
        {"no": 3, "from": "20200101"},
        {"no": 4, "from": "soon", "posts": [{"k": "c"}]},
        {"no": 5, "from": "20200101", "to": "never"},
    ]
    write(tmp_path, "2024-01-01.json", records)
    common = {"each": "posts", "predicate": "v:p", "object_class": "v:C", "object_ref": "{k}"}
    both = [common, common | {"predicate": "v:q", "valid_to": "end", "closed": True, "time_format": "%Y-%m"}]
    mapping = {
        "class": "v:M", "valid_from": "from", "valid_to": "to", "closed": True, "time_format": "%Y%m%d",
        "zone": "Europe/Berlin", "edges": both,
    }  # fmt: skip
    project = make_project(club=CLUB | {"keys": ["no"], "mapping": mapping})
    rows = staged(project)
    times = {row["subject"]: (row["valid_from"], row["valid_to"]) for row in rows if row["facet"] == "club/record"}
    winter, end = "2019-12-31 23:00:00+00", "2020-12-31 23:00:00+00"
    assert times == {
        "club/no=1": (winter, end),
        "club/no=2": ("-infinity", end),
        "club/no=3": (winter, "infinity"),
    }
    assert {
        (row["predicate"][-1], row["object"], row["valid_from"], row["valid_to"]) for row in rows if row["kind"] == "edge"
    } == {
        ("p", "club/a", winter, end),  # without times of its own it is valid as long as its record
        ("p", "club/b", winter, end),
        ("q", "club/a", winter, "infinity"),
        ("q", "club/b", winter, "2020-07-01 00:00:00+00"),
    }
    assert [(reason, location[-8:]) for reason, location, _ in quarantine(project)] == [
        ("unparsable_time", "record 3"),
        ("unparsable_time", "record 4"),
    ]


def test_an_edge_to_a_node_of_another_source(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01.json", {"FIN": [{"id": "A/1", "name": "Ann"}], "LAW": []})
    edge = {
        "each": "members", "predicate": "v:hasMember", "object_class": "v:M", "object_source": "people",
        "object_ref": "id={id}", "object_label": "{name} of {^committee}",
    }  # fmt: skip
    club = CLUB | {"keys": ["committee"], "root": {"key": "committee", "each": "members"}, "mapping": {"edges": [edge]}}
    people = {"type": "recorded", "path": "people/*", "recorded_at": "%Y", "keys": ["id"]}
    project = make_project(club=club, people=people)
    load_source(project, "club")
    with landing(project) as connection:
        assert connection.execute("SELECT committee FROM club.record ORDER BY ALL").fetchall() == [('"FIN"',), ('"LAW"',)]
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "2024.jsonl").write_text('{"id": "A/1"}\n', encoding="utf-8")
    rows = staged(project)
    assert [(row["subject"], row["object"]) for row in rows if row["kind"] == "edge"] == [
        ("club/committee=FIN", "people/id=A%2F1")
    ]
    labels = {row["facet"]: row["value"]["label"] for row in rows if row["subject"] == "people/id=A%2F1"}
    assert labels == {"club/id=A%2F1": "Ann of FIN", "people/record": "people A/1"}
    wrong = club | {"mapping": {"edges": [edge | {"object_source": "peopel"}]}}
    with pytest.raises(ConfigError, match="there is no source 'peopel'"):
        stage_rows(make_project(club=wrong, people=people))


def test_a_manifest_says_when(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "b.json", [{"no": 1}])
    write(tmp_path, "a.json", [{"no": 1}, {"no": 2}])
    manifest = tmp_path / "club" / "manifest.csv"
    source = {
        "type": "recorded", "path": "club/*", "keys": ["no"],
        "manifest": {"path": "club/manifest.csv", "recorded_at": "at"},
    }  # fmt: skip
    for lines, what in (
        ("a.json,2024-01-01T00:00:00+02:00", "does not name the version"),
        ("a.json,2024-01-01T00:00:00", "names no zone"),
        ("a.json,soon", "is no instant"),
        ("a.json,2024-01-01T00:00:00Z\na.json,2025-01-01T00:00:00Z", "gives two times for a.json"),
        ("a.json,", "the entry has no 'at'"),
    ):
        manifest.write_text(f"file,at\n{lines}\n", encoding="utf-8")
        with pytest.raises(SourceError, match=what):
            load_source(make_project(club=source), "club")
    manifest.write_text("file,at\n./a.json,2024-01-01T00:00:00+02:00\n../club/b.json,2023-01-01T00:00:00Z\n", encoding="utf-8")
    project = make_project(club=source)
    load_source(project, "club")
    with landing(project) as connection:
        rows = connection.execute(
            "SELECT file, CAST(timezone('UTC', recorded_at) AS VARCHAR) FROM stratagraph.versions ORDER BY recorded_at"
        ).fetchall()
    assert rows == [("b.json", "2023-01-01 00:00:00"), ("a.json", "2023-12-31 22:00:00")]
