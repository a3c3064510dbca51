"""`stratagraph sources keys`: which keys are used, which wait for an answer, and how an answer gets into the project file."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
import yaml
from command_line import Run, call

from stratagraph.config import load_config
from stratagraph.config.edit import add_to_list
from stratagraph.config.tree import read_tree
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.load import load_source

SHOP = """
CREATE TABLE Customers (CustomerID TEXT, Name TEXT); CREATE TABLE Shippers (ShipperID INTEGER, Name TEXT);
CREATE TABLE Orders (OrderID INTEGER, CustomerID TEXT, ShipVia INTEGER);
CREATE TABLE "Order Details" (OrderID INTEGER, Line INTEGER);
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO Customers SELECT 'C' || i, 'name ' || i FROM n;
INSERT INTO Shippers VALUES (1, 'a'), (2, 'b'), (3, 'c');
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
  INSERT INTO Orders SELECT i, 'C' || (i % 40 + 1), i % 3 + 1 FROM n;
INSERT INTO "Order Details" SELECT OrderID, 1 FROM Orders;
"""
VIA = "Orders(ShipVia) -> Shippers(ShipperID)"
CONFIG = """# my shop
version: 1
base_iri: https://g.test/   # ours
ontology: {files: [none.ttl]}

sources:
  # the till
  shop:
    type: sql
    url: sqlite:///shop.db
    valid_time: always  # no history

  # another one, not loaded yet
  other: {type: sql, url: "sqlite:///other.db"}
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose shop is loaded. Shared: copied by each test."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "none.ttl").touch()
    (folder / "stratagraph.yaml").write_text(CONFIG, encoding="utf-8")
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.executescript(SHOP)
    sqlite3.connect(folder / "other.db").close()
    load_source(Project.load(folder / "stratagraph.yaml"), "shop")
    return folder


@pytest.fixture
def project(loaded: Path, tmp_path: Path) -> Path:
    """The project file of a copy."""
    return Path(shutil.copytree(loaded, tmp_path / "project")) / "stratagraph.yaml"


def keys(project: Path, *arguments: str) -> Run:
    return call("sources", "keys", "--config", project, *arguments)


def states(project: Path, *arguments: str) -> dict[str, tuple[str, str]]:
    return {key["key"]: (key["state"], key["origin"]) for key in keys(project, "--json", *arguments).json}


# --- the list ------------------------------------------------------------------------------------------------------------


def test_used_keys_and_candidates_are_listed_with_their_evidence(project: Path) -> None:
    result = keys(project, "shop", "--json")
    assert result.code == 0
    found = {key["key"]: key for key in result.json}
    sure = found["Orders(CustomerID) -> Customers(CustomerID)"]
    assert (sure["state"], sure["origin"], sure["coverage"], sure["confidence"]) == ("used", "inferred", 1.0, 0.97)
    assert sure["evidence"] == "the same name; all 90 rows find theirs (40 of 40 values)"
    assert (found[VIA]["state"], found[VIA]["confidence"] < 0.85) == ("candidate", True)
    assert "easily found by chance" in found[VIA]["evidence"]
    assert '"Order Details"(OrderID) -> Orders(OrderID)' in found


def test_people_get_the_lines_to_paste(project: Path) -> None:
    result = keys(project)
    assert VIA in result.out
    lines = result.err[result.err.index("# these hold") :].split("\n\n")[0]
    assert yaml.safe_load(lines) == {"sources": {"shop": {"keys": [VIA]}}}


def test_nothing_to_list(project: Path) -> None:
    result = keys(project, "other")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("None:")


# --- answers -------------------------------------------------------------------------------------------------------------


def test_a_yes_is_written_and_counts_at_once(project: Path) -> None:
    before = project.read_text(encoding="utf-8")
    result = keys(project, "shop", "--yes", VIA, "--json")
    assert result.code == 0, result.err
    added = f"    keys:\n      - '{VIA}'\n"
    assert project.read_text(encoding="utf-8") == before.replace("# no history\n", "# no history\n" + added)
    assert {key["key"]: key["state"] for key in result.json}[VIA] == "used"
    assert states(project)[VIA] == ("used", "configured")


def test_a_no_is_written_and_listed_as_rejected(project: Path) -> None:
    sure = "Orders(CustomerID) -> Customers(CustomerID)"
    assert keys(project, "--no", sure).code == 0  # the source is the one that has these tables
    assert list(load_config(project).sources["shop"].not_keys) == [sure]  # type: ignore[union-attr]
    assert states(project)[sure] == ("rejected", "inferred")


def test_the_same_answer_again_changes_nothing(project: Path) -> None:
    keys(project, "shop", "--yes", VIA)
    before = project.read_bytes()
    again = keys(project, "shop", "--yes", 'Orders("ShipVia")->Shippers( ShipperID )')
    assert (again.code, project.read_bytes()) == (0, before)
    assert "says so already" in again.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop", "--yes", "Orders(ShipVja) -> Shippers(ShipperID)"], "did you mean ShipVia?"),
        (["shop", "--yes", "Order(ShipVia) -> Shippers(ShipperID)"], "did you mean Orders?"),
        (["shop", "--no", "Orders(ShipVia) - Shippers(ShipperID)"], "is no foreign key"),
        (["shopp"], "did you mean shop?"),
        (["--yes", "Nowhere(a) -> Shippers(ShipperID)"], "no source has the tables Nowhere and Shippers"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(project: Path, arguments: list[str], said: str) -> None:
    before = project.read_bytes()
    result = keys(project, *arguments)
    assert result.code == 1
    assert said in result.err
    assert project.read_bytes() == before


def test_yes_and_no_to_one_key_is_refused(project: Path) -> None:
    keys(project, "shop", "--yes", VIA)
    before = project.read_bytes()
    result = keys(project, "shop", "--no", VIA)
    assert result.code == 1
    assert "says the opposite" in result.err
    assert project.read_bytes() == before


def test_yes_and_no_at_once(project: Path) -> None:
    """The answers are written one by one; the one that contradicts those before it is refused."""
    result = keys(project, "shop", "--yes", VIA, "--no", VIA)
    assert (result.code, "says the opposite" in result.err) == (1, True)
    several = keys(
        project, "shop", "--no", "Orders(CustomerID) -> Customers(CustomerID)", "--no", "Orders(OrderID) -> Shippers(ShipperID)"
    )
    assert several.code == 0
    shop = load_config(project).sources["shop"]
    assert (len(shop.keys), len(shop.not_keys)) == (1, 2)  # type: ignore[union-attr]


def test_before_the_first_load(tmp_path: Path) -> None:
    (tmp_path / "none.ttl").touch()
    (tmp_path / "stratagraph.yaml").write_text(CONFIG, encoding="utf-8")
    result = keys(tmp_path / "stratagraph.yaml")
    assert (result.code, "run `stratagraph build` first" in result.err) == (1, True)


# --- the project file stays what it is -----------------------------------------------------------------------------------

HEAD = "version: 1\nbase_iri: https://g.test/\nontology: {files: [none.ttl]}\nsources:\n"
SHAPES = {
    "a new key behind the last entry": "  shop:\n    type: sql\n    url: u  # why\n",
    "behind a comment at the end": "  shop:\n    type: sql\n    url: u\n    # the last word\n\n# of all\n",
    "before another source": "  shop:\n    type: sql\n    url: u\n\n  # next\n  next:\n    type: sql\n    url: v\n",
    "behind a nested mapping": "  shop:\n    type: sql\n    url: u\n    mapping:\n      a: {label: '{x}'}\n"
    "      b:\n        label: '{y}'\n",
    "behind a list": "  shop:\n    type: sql\n    url: u\n    tables:\n    - a\n    - b   # two\n",
    "behind a text of several lines": "  shop:\n    type: sql\n    url: >-\n      sqlite:///\n      u\n"
    "\n  # next\n  next: {type: sql, url: v}\n",
    "to a list": "  shop:\n    type: sql\n    keys:\n      # mine\n      - 'A(x) -> B(y)'  # sure\n    url: u\n",
    "to a list at the key's own column": "  shop:\n    type: sql\n    keys:\n    - A(x) -> B(y)\n    url: u\n",
    "to a list in brackets": "  shop:\n    type: sql\n    keys: ['A(x) -> B(y)']  # sure\n    url: u\n",
    "to brackets over several lines": "  shop:\n    type: sql\n    keys: [\n      'A(x) -> B(y)',\n    ]\n    url: u\n",
    "to an empty list": "  shop:\n    type: sql\n    keys: []\n    url: u\n",
    "to a key without a value": "  shop:\n    type: sql\n    keys:\n    url: u\n",
    "to a source in braces": "  shop: {type: sql, url: u}  # short\n",
    "at the end of a file without a line end": "  shop:\n    type: sql\n    url: u",
    "with a deeper indent": "      shop:\n          type: sql\n          url: u\n",
    "with a source in quotes": "  'shop':\n    'type': sql\n    url: 'u # no comment'\n",
}
ENTRY = '"It\'s"(a) -> B("c, d")'


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("body", SHAPES.values(), ids=SHAPES.keys())
def test_an_entry_is_inserted_and_all_else_stays(tmp_path: Path, body: str, ends: str) -> None:
    path = tmp_path / "stratagraph.yaml"
    text = (HEAD + body).replace("\n", ends)
    path.write_bytes(text.encode())
    before = read_tree(path).value
    assert add_to_list(path, ("sources", "shop"), "keys", ENTRY)
    after = path.read_bytes().decode()
    shop = before["sources"]["shop"]
    shop["keys"] = [*(shop.get("keys") or []), ENTRY]
    assert read_tree(path).value == before
    missing = [line for line in text.splitlines() if line not in after.splitlines()]
    assert len(missing) <= 1  # at most the line that the entry stands in now
    assert all(comment in after for comment in ("# why", "# sure", "# next", "# two", "# mine", "# short") if comment in text)
    assert ("\r" in after) == (ends == "\r\n") and "\n" not in after.replace(ends, "")
    assert [path.name for path in tmp_path.iterdir()] == ["stratagraph.yaml"]


def test_a_bom_and_the_files_mode_stay(tmp_path: Path) -> None:
    path = tmp_path / "stratagraph.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + SHAPES["to an empty list"]).encode())
    path.chmod(0o640)
    add_to_list(path, ("sources", "shop"), "keys", ENTRY)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfversion")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yaml", tmp_path / "stratagraph.yaml"
    real.write_text(HEAD + SHAPES["to an empty list"], encoding="utf-8")
    link.symlink_to(real)
    add_to_list(link, ("sources", "shop"), "keys", ENTRY)
    assert link.is_symlink() and ENTRY in read_tree(real).value["sources"]["shop"]["keys"]


@pytest.mark.parametrize(
    "body",
    [
        "  shop: &one\n    type: sql\n    url: u\n  other: *one\n",  # the other source would get the key too
        "  shop:\n    type: sql\n    url: u\n    keys: &mine ['A(x) -> B(y)']\n    not_keys: *mine\n",
        "  shop:\n    type: sql\n    url: u\n    keys: [ 'A(x) -> B(y)'  # ]\n    ]\n",
    ],
    ids=["an anchored source", "an anchored list", "a comment in brackets"],
)
def test_what_cannot_be_inserted_is_refused_with_the_lines(tmp_path: Path, body: str) -> None:
    path = tmp_path / "stratagraph.yaml"
    path.write_text(HEAD + body, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="the file was not changed") as caught:
        add_to_list(path, ("sources", "shop"), "keys", "C(x) -> D(y)")
    assert yaml.safe_load(str(caught.value.hint).partition("\n")[2]) == {"sources": {"shop": {"keys": ["C(x) -> D(y)"]}}}
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [path.name]
