"""The loader's promise: every problem at once, each with file, line, key and what would be allowed; no secret shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stratagraph.config import Config, load_config
from stratagraph.errors import ConfigError

HEAD = "version: 1\nontology:\n  files: [o.ttl]\n"

Problems = Callable[..., list[str]]


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    """Loads a text and returns the lines of the error message, without the folder."""

    def load(text: str, environment: dict[str, str] | None = None) -> list[str]:
        file = tmp_path / "stratagraph.yaml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            load_config(file, environment or {})
        return [line.strip().replace(str(tmp_path) + "/", "") for line in str(caught.value).splitlines()[1:]]

    return load


def load(tmp_path: Path, text: str, environment: dict[str, str] | None = None) -> Config:
    file = tmp_path / "stratagraph.yaml"
    file.write_text(text, encoding="utf-8")
    return load_config(file, environment or {})


def test_all_problems_come_in_one_message_in_the_order_of_the_file(problems: Problems) -> None:
    found = problems(
        "version: 2\n"  # 1
        "datset: x\n"
        "base_iri: https://example.org/graph\n"
        "ontology: {files: []}\n"
        "sources:\n"
        "  shop:\n"
        "    type: sql\n"
        "    tabels: [a]\n"  # 8
        "    mapping:\n"
        '      "Order Details": {class: exx:Order, valid_time: columns}\n'  # 10
        "extraction: {engine: embeded, concurrency: 100}\n"
        'schedule: {cron: "0 25 * * *", timezone: Europe/Berlon}\n'
    )
    assert found == [
        "stratagraph.yaml:1: version: 2 is not allowed. Allowed: 1",
        "stratagraph.yaml:2: datset: unknown key; did you mean dataset? Allowed: " + ", ".join(Config.model_fields),
        "stratagraph.yaml:3: base_iri: 'https://example.org/graph' must end with #, / or :, because local names are put right "
        "behind it",
        "stratagraph.yaml:4: ontology.files: must have at least 1 entry",
        "stratagraph.yaml:6: sources.shop.url: is required",
        "stratagraph.yaml:8: sources.shop.tabels: unknown key; did you mean tables? "
        "Allowed: type, url, schema, tables, exclude, base, valid_time, binary, max_shrink, load, keys, not_keys, infer_keys, "
        "mapping",
        'stratagraph.yaml:10: sources.shop.mapping."Order Details": valid_time: columns needs valid_from, the column with the '
        "start of validity",
        "stratagraph.yaml:10: sources.shop.mapping.\"Order Details\".class: 'exx:Order' has the undeclared prefix exx:. "
        "Declared: none",
        "stratagraph.yaml:11: extraction.concurrency: 100 must be less than or equal to 64",
        "stratagraph.yaml:11: extraction.engine: 'embeded' is not allowed; did you mean embedded? Allowed: embedded, openai",
        "stratagraph.yaml:12: schedule.cron: '0 25 * * *' has a wrong hour; it must be *, numbers 0-23, ranges, steps (*/2) or "
        "lists",
        "stratagraph.yaml:12: schedule.timezone: 'Europe/Berlon' is no IANA time zone (did you mean Europe/Berlin?); allowed: "
        "UTC, Europe/Berlin and the like",
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("dataset: a\ndataset: b\n", "5: dataset: stands twice; the first is on line 4"),
        (
            "sources:\n  a: {type: sqll, url: x}\n",
            "5: sources.a.type: 'sqll' is not allowed; did you mean sql? Allowed: sql, files, rest, dlt, recorded",
        ),
        ("sources:\n  a: {url: x}\n", "5: sources.a.type: is required. Allowed: sql, files, rest, dlt, recorded"),
        ("sources:\n  a: 5\n", "5: sources.a: 5 must be a mapping of `key: value`"),
        ("sources: [a]\n", "4: sources: a list must be a mapping of `key: value`"),
        ("sources:\n  a b: {type: sql, url: x}\n", '5: sources."a b": this name is not allowed; a name is a letter'),
        (
            "documents:\n  n: {type: files, path: x, kind: y}\n",
            "5: documents.n.kind: unknown key. Allowed: type, path, date_pattern, reference_time",
        ),
        (
            "documents:\n  n: {type: files, path: x, reference_time: 2024-02-30}\n",
            "5: documents.n.reference_time: '2024-02-30' is no",
        ),
        ("documents:\n  n: {type: files, path: x, reference_time: 2024-02-03T10:00}\n", "has a time but no zone"),
        ("documents:\n  n: {type: chats, path: x, zone: Mars/Base}\n", "5: documents.n.zone: 'Mars/Base' is no IANA time zone"),
        (
            "sources:\n  A: {type: sql, url: x}\ndocuments:\n  a: {type: files, path: x}\n",
            "7: documents.a: the name is taken by sources.A",
        ),
        ("embedding: {dimensions: 100}\n", "4: embedding.dimensions: 100 is not allowed. Allowed: 64, 128, 256"),
        ("extraction: {base_url: localhost:8080}\n", "must start with http:// or https://"),
        ("prefixes: {https: 'https://a/'}\n", "4: prefixes.https: this is the scheme of ordinary IRIs"),
        ("prefixes: {ex: 'https://a'}\n", "4: prefixes.ex: 'https://a' must end with #, / or :"),
        ("data_dir: [a]\n", "4: data_dir: a list must be text"),
        ("dataset: !!python/name:os.system x\n", "4: dataset: the tag tag:yaml.org,2002:python/name:os.system is not allowed"),
        ("dataset: 2024\n", "4: dataset: 2024 must be text; put a number in quotes"),
        ("guard: {max_shrink: 0}\n", "4: guard.max_shrink: 0 must be greater than 0"),
        ("? [a]\n: b\n", "4: a key must be text"),
    ],
)
def test_each_kind_of_problem_names_line_key_and_remedy(problems: Problems, body: str, expected: str) -> None:
    found = problems(HEAD + body)
    assert len(found) == 1
    assert expected in found[0]


def test_keys_of_a_recorded_mapping_are_checked_and_placed(problems: Problems) -> None:
    found = problems(
        HEAD
        + 'prefixes: {ex: "https://e/#"}\n'
        + "sources:\n  r:\n    type: recorded\n    path: '*.yaml'\n    recorded_at: '%H'\n    mapping:\n"
        + "      class: ex:Person\n      keys: [id.a]\n      label: ['{name']\n      properties: {id.b: name, id.c: e:name}\n"
        + "      edges:\n        - each: terms\n          predicate: ex:holds\n          object_class: Office\n"
        + "          object_ref: office/{type}\n          valid_from: start\n          valid_too: end\n"
    )
    assert (
        found[0]
        == "stratagraph.yaml:9: sources.r.recorded_at: '%H' names no year; allowed: such as '%Y-%m-%d' or '%Y-%m-%dT%H%M%SZ'"
    )
    assert found[1].startswith("stratagraph.yaml:13: sources.r.mapping.label[0]: '{name' is no template")
    assert found[2] == "stratagraph.yaml:14: sources.r.mapping.properties.\"id.b\": 'name' is neither an IRI nor prefix:name"
    assert "has the undeclared prefix e:; did you mean ex:? Declared: ex:" in found[3]
    assert "18: sources.r.mapping.edges[0].object_class: 'Office' is neither" in found[4]
    assert "21: sources.r.mapping.edges[0].valid_too: unknown key; did you mean valid_to?" in found[5]


def test_environment_variables_are_replaced_and_escaped(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        HEAD + "dataset: ${DS}\nsources:\n  a: {type: sql, url: 'postgresql://u:${PW}@h/${DB}', exclude: ['$${x}', '$5']}\n"
        "extraction: {concurrency: '${N}'}\n",
        {"DS": "one", "PW": "p${DB}", "DB": "shop", "N": "7"},
    )
    source = config.sources["a"]
    assert config.dataset == "one"
    assert source.type == "sql"
    assert source.url == "postgresql://u:p${DB}@h/shop"  # what a variable holds is not read again
    assert source.exclude == ["${x}", "$5"]
    assert config.extraction.concurrency == 7


def test_missing_variables_are_all_named_and_no_value_of_another_is_shown(problems: Problems) -> None:
    found = problems(
        HEAD + "sources:\n  a: {type: sql, url: 'x://${USER_}:${PW}@h', valid_time: '${MODE}'}\n  b: {type: sql, url: '${ '}\n",
        {"PW": "hunter2", "MODE": "s3cret-mode"},
    )
    assert found[0] == "stratagraph.yaml:5: sources.a.url: the environment variable USER_ is not set"
    assert (
        found[1]
        == "stratagraph.yaml:5: sources.a.valid_time: the value from the environment is not allowed. Allowed: always, load"
    )
    assert "sources.b.url: `${` must be followed by the name of a variable" in found[2]
    assert "hunter2" not in "".join(found)
    assert "s3cret" not in "".join(found)


def test_a_password_typed_into_the_file_is_masked(problems: Problems) -> None:
    found = problems(HEAD + "extraction: {base_url: 'ftp://ann:geheim@host/'}\n")
    assert "ftp://ann:***@host/" in found[0]
    assert "geheim" not in found[0]


def test_scalars_that_yaml_1_1_would_change_stay_as_written(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        HEAD + "dataset: NO\ndocuments:\n  n: {type: files, path: 007, reference_time: 2024-05-01}\n"
        "  c: {type: chats, path: x, assistant: on}\n"
        "prefixes: {no: 'https://n/', '': 'https://empty/'}\n",
    )
    assert config.dataset == "NO"
    assert config.documents["n"].path == "007"
    assert config.documents["n"].model_dump()["reference_time"] == "2024-05-01"
    assert config.documents["c"].model_dump()["assistant"] == "on"
    assert sorted(config.prefixes) == ["", "no"]


def test_a_section_with_every_entry_commented_out_is_at_its_default(tmp_path: Path) -> None:
    config = load(tmp_path, HEAD + "sources:\n  # a: {}\ndocuments:\nextraction:\n")
    assert config.sources == {}
    assert config.extraction.engine == "embedded"


def test_anchors_are_expanded(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        HEAD
        + "sources:\n  a: {type: sql, url: x, mapping: &m {T: {class: 'x://e/T'}}}\n  b: {type: sql, url: y, mapping: *m}\n",
    )
    assert config.sources["a"].mapping == config.sources["b"].mapping


def test_alias_bombs_self_references_and_deep_nesting_are_refused_at_once(problems: Problems) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
    )
    assert "too many or self-referring aliases" in problems(bomb)[0]
    assert "too many or self-referring aliases" in problems("a: &a [*a]\n")[0]
    assert "nested deeper than" in problems("a: " + "[" * 5000 + "]" * 5000)[0]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "the file is empty"),
        (b"# only a comment\n", "the file is empty"),
        (b"- a\n", "the file must be a mapping"),
        (b"version: 1\nontology: {files: [o\n", "stratagraph.yaml:3: this is not YAML"),
        (b"version: 1\n\tdataset: x\n", "stratagraph.yaml:2: this is not YAML"),
        (b"version: 1\n---\nversion: 1\n", "this is not YAML: but found another document"),
        (b"version: 1\ndataset: caf\xe9\n", "stratagraph.yaml:2: byte 23 is not UTF-8"),
        (b"version: 1\ndataset: a\x00b\n", "stratagraph.yaml:2: the character U+0000 is not allowed"),
        (b"#" * 1_000_001, "the file is larger than"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, raw: bytes, expected: str) -> None:
    file = tmp_path / "stratagraph.yaml"
    file.write_bytes(raw)
    with pytest.raises(ConfigError, match=r"stratagraph\.yaml") as caught:
        load_config(file)
    assert expected in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "stratagraph.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + (HEAD + "dataset: a\n").replace("\n", "\r\n").encode())
    assert load_config(file).dataset == "a"


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path / "stratagraph.yaml")
    with pytest.raises(ConfigError, match="this is a folder"):
        load_config(tmp_path)
