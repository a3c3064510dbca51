"""Press notes about people who change employer, with the answer key: read from a file, or made by the same templates.

What is made is a function of the number of notes. Proportions are those of the corpus of 200: a person for eight notes, a
company for thirteen, a tenth of the notes restate, one in fifteen arrives late.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
FIRST = (
    "Alice", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kavya", "Liam", "Mina", "Nadia",
    "Oscar", "Priya", "Quentin", "Rosa", "Stefan", "Tara", "Umar", "Vera", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip
LAST = (
    "Haddad", "Ricci", "Lindt", "Rao", "Novak", "Stone", "Silva", "Costa", "Weber", "Marsh", "Petrov", "Aldous", "Baines",
    "Carr", "Doyle", "Ellis", "Frost", "Grant", "Hayes", "Irving",
)  # fmt: skip
BRAND = (
    "Cobalt", "Delta", "Ember", "Fjord", "Granite", "Harbor", "Iris", "Juniper", "Kestrel", "Lumen", "Mosaic", "Nimbus",
    "Orchid", "Pylon", "Quartz",
)  # fmt: skip
TRADE = (
    "Labs",
    "Foods",
    "Robotics",
    "Energy",
    "Bank",
    "Media",
    "Optics",
    "Rail",
    "Air",
    "Health",
    "Games",
    "Cloud",
    "Pharma",
    "Motors",
)
CITIES = ("Cork", "Lisbon", "Denver", "Lima", "Oslo", "Turin", "Graz", "Porto", "Ghent", "Aarhus", "Brno", "Lyon")
FIRST_YEAR = 2015


@dataclass(frozen=True)
class Corpus:
    """Notes in order of arrival, and what they say.

    Args:
        episodes: id, ref_time, text; queries: person, at, gold.
        facts: employments that hold, each once.
    """

    episodes: list[dict[str, str]]
    queries: list[dict[str, Any]]
    facts: int


def read_corpus(file: Path) -> Corpus:
    """A corpus as `data/changing_facts` has it."""
    data = json.loads(file.read_text(encoding="utf-8"))
    return Corpus(data["episodes"], data["queries"], sum(map(len, data["history"].values())))


def make_corpus(notes: int, seed: int = 7) -> Corpus:
    """A corpus of so many notes, and fifty questions of each kind."""
    chance = random.Random(seed)
    people = _names(FIRST, LAST, max(notes // 8, 2), chance)
    companies = _names(BRAND, TRADE, max(notes * 3 // 40, 4), chance)
    city_of = {company: chance.choice(CITIES) for company in companies}
    history: dict[str, list[tuple[int, str]]] = {}
    dated: list[tuple[int, str]] = []
    month = 0
    while len(dated) < notes:
        for person in people:
            jobs = history.setdefault(person, [])
            if not jobs:
                jobs.append((month, chance.choice(companies)))
                told = f"{person} works at {jobs[-1][1]} since {_month(month)}."
            elif chance.random() < 0.1:
                told = f"{person} works at {jobs[-1][1]} since {_month(jobs[-1][0])}."
            else:
                before = jobs[-1][1]
                jobs.append((month, chance.choice([company for company in companies if company != before])))
                told = f"{person} moved from {before} to {jobs[-1][1]} in {_month(month)}."
            other = chance.choice([each for each in people if each != person])
            company = jobs[-1][1]
            more = (f"{person} met {other} in {chance.choice(CITIES)}.", f"{company} is based in {city_of[company]}.")
            dated.append((month, f"{told} {chance.choice(more)}"))
            month += len(dated) % max(notes // 100, 1) == 0
            if len(dated) == notes:
                break
    arrivals = sorted(range(notes), key=lambda nth: nth + (chance.randint(2, 12) if chance.random() < 1 / 15 else 0))
    episodes = [
        {"id": f"ep{n:05}", "ref_time": _instant(dated[nth][0], 15), "text": dated[nth][1]} for n, nth in enumerate(arrivals)
    ]
    return Corpus(episodes, _queries(history, month, chance), sum(map(len, history.values())))


def _queries(history: dict[str, list[tuple[int, str]]], last: int, chance: random.Random) -> list[dict[str, Any]]:
    asked = []
    for at_the_end in (True, False):
        for _ in range(50):
            person = chance.choice(sorted(history))
            at = last + 1 if at_the_end else chance.randint(history[person][0][0], last)
            gold = [company for start, company in history[person] if start <= at][-1]
            asked.append({"person": person, "at": _instant(at, 15), "gold": gold})
    return asked


def _names(heads: tuple[str, ...], tails: tuple[str, ...], count: int, chance: random.Random) -> list[str]:
    """So many names of two words; a numeral tells them apart when the words run out."""
    words = [f"{head} {tail}" for tail in tails for head in heads]
    return [*chance.sample(words, min(count, len(words))), *(f"{chance.choice(words)} {n}" for n in range(len(words), count))]


def _month(month: int) -> str:
    return f"{MONTHS[month % 12]} {FIRST_YEAR + month // 12}"


def _instant(month: int, day: int) -> str:
    return datetime(FIRST_YEAR + month // 12, month % 12 + 1, day, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
