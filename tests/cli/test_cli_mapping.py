"""`stratagraph mapping`: proposes and checks without loading anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from command_line import call, make_project


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project that nothing was loaded of."""
    return make_project(tmp_path / "shop") / "stratagraph.yaml"


def change(file: Path, **mapping: object) -> None:
    """Replace the mapping of employees."""
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    config["sources"]["shop"]["mapping"] = {"companies": {"class": "my:Organization"}, "employees": mapping}
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def test_a_mapping_is_suggested_and_is_right_once_it_is_pasted(shop: Path) -> None:
    result = call("mapping", "suggest", "--config", shop)
    assert result.code == 0
    suggested = yaml.safe_load(result.out)["sources"]["shop"]["mapping"]
    assert suggested["companies"] == {"class": "my:Organization"}
    config = yaml.safe_load(shop.read_text(encoding="utf-8"))
    config["sources"]["shop"]["mapping"] = suggested
    shop.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    assert call("mapping", "check", "--config", shop).code == 0
    assert not (shop.parent / "data").exists()  # nothing was loaded, nothing written


def test_one_table_is_suggested_and_another_name_is_refused(shop: Path) -> None:
    result = call("mapping", "suggest", "shop", "--table", "companies", "--config", shop)
    assert "companies" in result.out and "employees" not in result.out
    result = call("mapping", "suggest", "--table", "company", "--config", shop)
    assert (result.code, result.out) == (1, "") and "did you mean companies?" in result.err
    result = call("mapping", "suggest", "shpo", "--config", shop)
    assert result.code == 1 and "the sources of tables are: shop" in result.err


def test_errors_name_their_places_and_what_was_probably_meant(shop: Path) -> None:
    change(shop, **{"class": "my:Persn", "properties": {"nme": "my:birthday"}, "references": {"company": "my:worksFor"}})
    result = call("mapping", "check", "--config", shop)
    assert result.code == 1
    assert result.out.splitlines() == [
        "error: sources.shop.mapping.employees.class: 'my:Persn' is no class of the ontology; did you mean my:Person?",
        "error: sources.shop.mapping.employees.properties.nme: there is no column 'nme'; did you mean name? "
        "Allowed: id, name, company_id",
        "error: sources.shop.mapping.employees.references.company: the table has no foreign key 'company': there is no column "
        "'company'; did you mean company_id? Allowed: id, name, company_id",
    ]
    assert call("mapping", "check", "--json", "--config", shop).json["warnings"] == []


def test_what_breaks_an_axiom_is_an_error(shop: Path) -> None:
    change(
        shop,
        **{"class": "my:Organization", "properties": {"name": "my:birthday", "id": "my:livesIn"}},
        references={"company_id": "my:worksFor"},
    )
    result = call("mapping", "check", "shop", "--json", "--config", shop)
    assert (result.code, result.json["warnings"]) == (1, [])
    my = "https://example.org/my#"
    assert result.json["errors"] == [
        f"sources.shop.mapping.employees.properties.name: {my}birthday rdfs:domain {my}Person, not {my}Organization",
        f"sources.shop.mapping.employees.properties.id: {my}livesIn is an object property, and the column's values become no "
        "nodes; a foreign key belongs in references",
        f"sources.shop.mapping.employees.references.company_id: {my}worksFor rdfs:domain {my}Person, not {my}Organization",
    ]


def test_a_deprecated_name_is_a_warning(shop: Path) -> None:
    ontology = shop.parent / "ontology.ttl"
    text = ontology.read_text(encoding="utf-8")
    ontology.write_text(text + "\nmy:Person owl:deprecated true .\n", encoding="utf-8")
    change(shop, **{"class": "my:Person"})
    result = call("mapping", "check", "--json", "--config", shop)
    assert (result.code, result.json["warnings"]) == (
        0, ["sources.shop.mapping.employees.class: 'my:Person' is deprecated"]
    )  # fmt: skip
