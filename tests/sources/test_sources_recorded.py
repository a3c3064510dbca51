"""A recorded source: versions with their times, stable statements, several identifying keys, and files that can't be used."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from staged import Clock, Make, edges, landing, load_all, nodes, quarantine, statements

from stratagraph.config import load_config
from stratagraph.errors import ConfigError, SourceError
from stratagraph.project import Project
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.staging import staged_batches
from stratagraph.temporal.run import commit_staged

DEMO = Path(__file__).parents[2] / "examples" / "demo"
EXECUTIVE = DEMO / "congress-legislators" / "executive"

CLUB = {
    "type": "recorded",
    "path": "club/*",
    "recorded_at": "%Y-%m-%dT%H%M%SZ",
    "mapping": {
        "class": "v:Member",
        "keys": ["id.a", "id.b"],
        "label": ["{name.full}", "{name.first} {name.middle?} {name.last}", "{name.last}"],
        "properties": {"name.last": "v:last", "note": "v:note"},
        "edges": [
            {
                "each": "posts",
                "predicate": "v:holdsPost",
                "object_class": "v:Post",
                "object_ref": "post/{kind}",
                "object_labels": {"post/chair": "the chair"},
                "valid_from": "start",
                "valid_to": "end",
                "zone": "Europe/Berlin",
                "properties": {"how": "v:how"},
            }
        ],
    },
}


def write(folder: Path, name: str, records: Any) -> Path:
    path = folder / "club" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(records if isinstance(records, str) else yaml.safe_dump(records, allow_unicode=True), encoding="utf-8")
    return path


def batches(project: Project) -> list[list[dict[str, Any]]]:
    """Statements of each staged batch, in order, without the batch's name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in statements(project):
        found.setdefault(row.pop("batch"), []).append(row)
    return [found[name] for name in sorted(found)]


ADA = {"id": {"a": "00123", "b": 7}, "name": {"first": "Ada", "middle": "", "last": "Låst"}}
BEN = {"id": {"b": 8}, "name": {"last": "Ben"}, "note": "x"}
POST = {"kind": "chair", "start": "2020-06-01", "end": "2021-06-01", "how": "vote"}


def test_versions_become_batches_with_their_times(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z_one.yaml", [ADA | {"posts": [POST]}, BEN])
    write(
        tmp_path, "2024-02-01T120000Z_two.json", json.dumps([BEN | {"extra": [1, 2]}, ADA | {"posts": [POST | {"end": None}]}])
    )
    project = make_project(club=CLUB)
    result = load_source(project, "club")
    assert (result.versions, result.rows) == (2, 4)
    stage_rows(project)
    assert [(item.batch.recorded_at, item.batch.complete) for item in staged_batches(project, "rows")] == [
        (datetime(2024, 1, 1, tzinfo=UTC), True),
        (datetime(2024, 2, 1, 12, tzinfo=UTC), True),
    ]
    first, second = batches(project)
    ada = next(row for row in first if row["subject"] == "club/id.a=00123" and row["kind"] == "node")
    assert ada["value"] == {"label": "Ada Låst", "properties": {"https://v.test/last": "Låst"}}
    assert (ada["facet"], ada["source_key"], ada["sequence"]) == ("club/record", '{"id.a":"00123"}', 0)
    post = next(row for row in first if row["subject"] == "club/post/chair")
    assert (post["value"]["label"], post["facet"], post["predicate"]) == ("the chair", "club/post/chair", "https://v.test/Post")
    (edge,) = [row for row in first if row["kind"] == "edge"]
    assert edge["value"] == {"fact": "Ada Låst holds post the chair", "properties": {"https://v.test/how": "vote"}}
    assert (edge["mode"], edge["valid_from"], edge["valid_to"]) == (
        "period",
        "2020-05-31 22:00:00+00",
        "2021-05-31 22:00:00+00",
    )
    (edge_now,) = [row for row in second if row["kind"] == "edge"]
    assert edge_now == edge | {"valid_to": "infinity"}
    # The order of the records changed and a field came that is not mapped: the nodes are said as before, byte for byte.
    assert [row for row in second if row["kind"] == "node"] == [row for row in first if row["kind"] == "node"]


def test_the_landing_tables_keep_what_the_file_said(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [{"id": {"a": 123}, "tags": ["x", 1, True], "d": "2024-01-01T00:00:00Z"}])
    write(
        tmp_path,
        "2024-02-01T000000Z.yaml",
        "- id: {a: '00123'}\n  d: 2024-01-01\n  tags: [[1], [2]]\n  big: 123456789012345678901\n",
    )
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"edges": []}})
    load_source(project, "club")
    with landing(project) as connection:
        rows = connection.execute("SELECT version_recorded_at, id__a, d, big FROM club.record ORDER BY ALL").fetchall()
        tags = connection.execute(
            "SELECT t.value FROM club.record__tags AS t WHERE value IS NOT NULL ORDER BY _dlt_list_idx"
        ).fetchall()
    assert rows == [
        (datetime(2024, 1, 1, tzinfo=UTC), "123", '"2024-01-01T00:00:00Z"', None),
        (datetime(2024, 2, 1, tzinfo=UTC), '"00123"', '"2024-01-01"', "123456789012345678901"),
    ]
    assert tags == [('"x"',), ("1",), ("true",)]
    keys = update_foreign_keys(project)
    assert (keys.declared, keys.nested, keys.incomplete) == (0, 2, 0)
    stage_rows(project)
    assert set(nodes(project)) == {"club/id.a=123", "club/id.a=00123"}  # a number and a text are two


def test_several_keys_are_linked(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA, BEN, {"name": {"last": "No key"}}, {"id": {"a": "", "b": None}}])
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"edges": []}})
    load_all(project)
    assert stage_rows(project).links == 1
    (batch,) = staged_batches(project, "rows")
    with landing(project) as connection:
        links = connection.execute("FROM read_parquet(?)", [str(batch.links)]).fetchall()
    base = "https://g.test/club/"
    assert links == [("main", f"{base}id.a=00123", "id.a", f"{base}id.b=7", "id.b", "key")]
    assert set(nodes(project)) == {"club/id.a=00123", "club/id.b=8"}
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("no_identifying_key", "club/2024-01-01T000000Z.yaml record 2"),
        ("no_identifying_key", "club/2024-01-01T000000Z.yaml record 3"),
    ]


def test_two_records_of_one_key_are_facets_of_one_node_in_whatever_order(make_project: Make, tmp_path: Path) -> None:
    other = {"id": {"a": "00123"}, "name": {"full": "A. Låst"}, "posts": [POST | {"start": "2022-01-01", "end": "2023-01-01"}]}
    records = [ADA | {"posts": [POST]}, BEN, other]
    write(tmp_path, "2024-01-01T000000Z.yaml", records)
    write(tmp_path, "2024-02-01T000000Z.yaml", records[::-1])
    project = make_project(club=CLUB)
    load_all(project)
    stage_rows(project)
    first, second = batches(project)
    assert first == second, "the order of the records says nothing"
    said = [(row["value"]["label"], row["facet"]) for row in first if row["kind"] == "node" and "00123" in row["subject"]]
    assert said == [("A. Låst", "club/record"), ("Ada Låst", "club/record~2")]
    assert [(row["valid_from"], row["sequence"]) for row in first if row["kind"] == "edge"] == [
        ("2020-05-31 22:00:00+00", 1),
        ("2021-12-31 23:00:00+00", 0),
    ]
    commit_staged(project)
    with project.read() as connection:
        rows = connection.execute("SELECT label FROM graph.nodes_now WHERE node_id LIKE '%00123' ORDER BY label").fetchall()
    assert rows == [("A. Låst",), ("Ada Låst",)], "neither overrides the other"


def test_bad_items_are_refused_and_the_rest_goes_on(make_project: Make, tmp_path: Path) -> None:
    posts = [POST, POST | {"start": "June"}, {"start": "2020-01-01", "end": "2021-01-01"}]
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA | {"posts": posts}])
    project = make_project(club=CLUB)
    load_all(project)
    assert stage_rows(project).quarantined == 2
    assert len(edges(project)) == 1
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("no_object", "club/2024-01-01T000000Z.yaml record 0 item 2"),
        ("unparsable_time", "club/2024-01-01T000000Z.yaml record 0 item 1"),
    ]


def test_new_versions_are_added_and_old_ones_stay(make_project: Make, tmp_path: Path) -> None:
    first = write(tmp_path, "2024-01-01T000000Z.yaml", [ADA | {"posts": [POST]}])
    project = make_project(club=CLUB)
    load_all(project)
    stage_rows(project)
    before = {item.batch.batch_id: item.statements.read_bytes() for item in staged_batches(project, "rows")}
    write(tmp_path, "2024-02-01T000000Z.yaml", [ADA, BEN])
    assert load_source(project, "club").versions == 1
    assert stage_rows(project).batches == 1
    after = {item.batch.batch_id: item.statements.read_bytes() for item in staged_batches(project, "rows")}
    assert len(after) == 2 and before.items() <= after.items()
    assert not load_source(project, "club").changed
    assert not stage_rows(project).changed
    commit_staged(project)

    first.write_text(yaml.safe_dump([BEN]), encoding="utf-8")
    with pytest.raises(SourceError, match=r"2024-01-01T000000Z\.yaml: a version that was loaded before has changed"):
        load_source(project, "club")
    first.unlink()  # an archived version stays in the history
    assert load_source(project, "club").rows == 3
    with landing(project) as connection:
        assert connection.execute("SELECT count(*) FROM club.record").fetchone() == (3,)


def test_what_never_was_committed_may_be_mended_or_taken_away(make_project: Make, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA | {"posts": [POST]}, BEN])
    project = make_project(club=CLUB)
    load_all(project)
    stage_rows(project)
    commit_staged(project)
    empty = write(tmp_path, "2024-02-01T000000Z.yaml", [])
    assert load_source(project, "club").refused == 1
    assert (stage_rows(project).batches, commit_staged(project).batches) == (0, 0)
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("guard_shrink", "club/2024-02-01T000000Z.yaml")
    ]
    empty.write_text(yaml.safe_dump([ADA | {"posts": [POST]}, BEN | {"note": "y"}]), encoding="utf-8")
    assert load_source(project, "club").changed
    assert stage_rows(project).batches == 1
    assert quarantine(project) == []
    assert commit_staged(project).batches == 1
    wrong = write(tmp_path, "2024-03-01T000000Z.yaml", [])
    assert load_source(project, "club").refused == 1
    assert (stage_rows(project).batches, commit_staged(project).batches) == (0, 0)
    wrong.unlink()
    assert load_source(project, "club").changed
    assert not stage_rows(project).changed
    assert quarantine(project) == []
    assert commit_staged(project).batches == 0
    write(tmp_path, "2024-02-15T000000Z.yaml", [ADA | {"posts": [POST]}, BEN])  # what was given up is not in the way of another
    assert load_source(project, "club").versions == 1
    stage_rows(project)
    assert commit_staged(project).batches == 1
    assert not load_source(project, "club").changed


def test_a_version_from_the_future_is_refused_before_anything_is_loaded(
    make_project: Make, clock: Clock, tmp_path: Path
) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA | {"posts": [POST]}])
    wrong = write(tmp_path, "2099-01-01T000000Z.yaml", [ADA, BEN])
    project = make_project(club=CLUB)
    with pytest.raises(SourceError, match=r"2099-01-01T000000Z\.yaml: the version's time, 2099-.* lies in the future"):
        load_source(project, "club")
    wrong.unlink()
    assert load_source(project, "club").versions == 1


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("2024-01-01T000000Z.yaml", "- a: 1\n- b: [1, 2\n- c: 3\n", r"2024-01-01T000000Z\.yaml:3: not valid YAML"),
        ("2024-01-01T000000Z.json", '[{"a": 1},\n {"b" 2}]', r"2024-01-01T000000Z\.json:2: not valid JSON"),
        ("2024-01-01T000000Z.yaml", "a: 1", "is not a list of records"),
        ("2024-01-01T000000Z.yaml", "- 1\n- 2", "is not a list of records"),
        ("2024-01-01T000000Z.yaml", "", "is not a list of records"),
        ("2024-01-01T000000Z.yaml", "- !!python/object/apply:os.getcwd []", "not valid YAML"),
        ("2024-01-01T000000Z.yaml", "- &a {b: *a}", "nested too deeply|more than its size"),
        ("2024-01-01T000000Z.yaml", "- version_file: x", "reserved name"),
        ("2024-01-01T000000Z.yaml", "- {Aa: 1, aA: 2, aa: 1, AA: 2}", "can't be told apart"),
        ("notes.yaml", "[]", "does not start with a time"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_error(
    make_project: Make, tmp_path: Path, name: str, content: str, what: str
) -> None:
    write(tmp_path, name, content)
    project = make_project(club=CLUB)
    with pytest.raises(SourceError, match=what):
        load_source(project, "club")
    assert not project.landing.exists()


def test_aliases_that_explode_are_refused(make_project: Make, tmp_path: Path) -> None:
    lines = ["- a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    write(tmp_path, "2024-01-01T000000Z.yaml", "\n".join(lines))
    with pytest.raises(SourceError, match="more than its size"):
        load_source(make_project(club=CLUB), "club")


def test_files_of_other_encodings(make_project: Make, tmp_path: Path) -> None:
    (tmp_path / "club").mkdir()
    file = tmp_path / "club" / "2024-01-01T000000Z.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps([ADA], ensure_ascii=False).encode())
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"edges": []}})
    assert load_source(project, "club").rows == 1
    (tmp_path / "club" / "2024-02-01T000000Z.json").write_bytes('[\n{"name": "Löst"}]'.encode("latin-1"))
    with pytest.raises(SourceError, match=r"2024-02-01T000000Z\.json:2: the version file is not UTF-8"):
        load_source(project, "club")
    assert stage_rows(project).batches == 1  # the version that was loaded before is still whole


def test_two_versions_of_one_time_and_no_version_at_all(make_project: Make, tmp_path: Path) -> None:
    project = make_project(club=CLUB)
    with pytest.raises(SourceError, match="no file matches the path"):
        load_source(project, "club")
    write(tmp_path, "2024-01-01T000000Z_a.yaml", [ADA])
    write(tmp_path, "2024-01-01T000000Z_b.yaml", [ADA])
    with pytest.raises(SourceError, match="two versions have the same time"):
        load_source(project, "club")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_version_names_the_file(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA]).chmod(0)
    with pytest.raises(SourceError, match=r"2024-01-01T000000Z\.yaml"):
        load_source(make_project(club=CLUB), "club")


def test_a_mapping_of_nothing_is_refused(make_project: Make, tmp_path: Path) -> None:
    write(tmp_path, "2024-01-01T000000Z.yaml", [ADA])
    project = make_project(club=CLUB)
    load_source(project, "club")
    with pytest.raises(ConfigError, match="no record has a list 'posts'"):
        stage_rows(project)
    edge = CLUB["mapping"]["edges"][0]
    write(tmp_path, "2024-02-01T000000Z.yaml", [ADA | {"posts": [POST | {"aides": [{"kind": "x"}]}]}])
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"edges": [edge | {"each": "posts.aides"}]}})
    load_source(project, "club")
    with pytest.raises(ConfigError, match=r"'posts\.aides' is nested in another one(.|\n)*the lists are: posts$"):
        stage_rows(project)
    project = make_project(club=CLUB | {"mapping": CLUB["mapping"] | {"keys": ["nr"]}})
    with pytest.raises(ConfigError, match=r"the fields are: id\.a, id\.b"):
        stage_rows(project)


@pytest.fixture(scope="module")
def executive(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The 23 versions of the demo, loaded and staged with the demo's own mapping."""
    folder = tmp_path_factory.mktemp("executive")
    shutil.copytree(EXECUTIVE, folder / "congress-legislators" / "executive")
    source = load_config(DEMO / "stratagraph.yaml").sources["executive"]
    config = {
        "version": 1, "base_iri": "https://g.test/", "prefixes": {"ex": "https://example.org/stratagraph/demo#"},
        "ontology": {"files": ["none.ttl"]},
        "sources": {"executive": json.loads(source.model_dump_json(by_alias=True, exclude_none=True))},
    }  # fmt: skip
    (folder / "none.ttl").touch()
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    project = Project.load(folder / "stratagraph.yaml")
    load_all(project)
    stage_rows(project)
    return project


def raw_versions() -> Iterator[tuple[datetime, list[dict[str, Any]]]]:
    for path in sorted(EXECUTIVE.glob("*.yaml")):
        time = datetime.strptime(path.name[:18], "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)
        yield time, yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def raw_edges(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """(person, office, start, end, properties, fact, sequence) of all terms, read without the pipeline."""
    demo = "https://example.org/stratagraph/demo#"
    found: list[tuple[Any, ...]] = []
    for record in records:
        name = next(key for key in ("bioguide", "govtrack", "icpsr") if key in record["id"])
        person = f"executive/id.{name}={record['id'][name]}"
        label = " ".join(part for part in map(record["name"].get, ("first", "middle", "last", "suffix")) if part)
        for term in record["terms"]:
            office = f"executive/office/{term['type']}"
            fact = f"{label} holds office {'president' if term['type'] == 'prez' else 'vice president'}"
            properties = {demo + key: term[key] for key in ("how", "party") if key in term}
            rank = sum(edge[:2] == (person, office) for edge in found)
            times = (f"{term['start']} 00:00:00+00", f"{term['end']} 00:00:00+00")
            found.append((person, office, *times, json.dumps(properties), fact, rank))
    return sorted(found)


def staged_edges(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            *(row["subject"], row["object"], row["valid_from"], row["valid_to"]),
            *(json.dumps(row["value"]["properties"]), row["value"]["fact"], row["sequence"]),
        )
        for row in rows
        if row["kind"] == "edge"
    )


def test_the_executive_as_staged_is_the_executive_as_written(executive: Project) -> None:
    staged = batches(executive)
    raw = list(raw_versions())
    assert [item.batch.recorded_at for item in staged_batches(executive, "rows")] == [time for time, _ in raw]
    assert len(staged) == len(raw) == 23
    for rows, (_, records) in zip(staged, raw, strict=True):
        assert staged_edges(rows) == raw_edges(records)
        assert sum(row["kind"] == "node" and row["facet"].startswith("executive/record") for row in rows) == len(records)
    assert quarantine(executive) == []


def test_what_did_not_change_between_versions_is_said_again_byte_for_byte(executive: Project) -> None:
    versions = zip(batches(executive), raw_versions(), strict=True)
    for (before, (_, raw_before)), (after, (_, raw_after)) in pairwise(versions):
        known = {json.dumps(row, sort_keys=True) for row in before}
        again = [row for row in after if json.dumps(row, sort_keys=True) in known]
        assert staged_edges(again) == sorted(set(raw_edges(raw_before)) & set(raw_edges(raw_after)))
