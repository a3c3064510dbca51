"""What the name of a column says about the table it may refer to. Names only: no values, no types, no thresholds.

A name is cut into words (`SupplierCompanyIDs` -> supplier, company, id); the last identifier word (`id`, `code`, `key`) is
its kind, what stands before it is its stem. A column may refer to a key in these ways, the surest first:

    same       CustomerID  -> Customers.CustomerID     the same name, and it names more than `id`
    table      airport_id  -> airport.id               the table's name, and an identifier word
    role       ship_city_id -> city.city_id            one of the two above, behind words that say the role
    named      Manufacturer -> Manufacturers.Code      the table's name alone
    short      cust_id     -> customer.id              an abbreviation of the table's name
    suffixed   teamIDwinner -> Teams.teamID            one of the first two, before words that say the role
    self       ReportsTo   -> Employees.EmployeeID     a word for a relation between rows of one table
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

Words = tuple[str, ...]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")

_INNER_ID = re.compile(r"(?<=[a-z0-9])ID(?=[a-z])")  # teamIDwinner

# The words that call a column an identifier. `name` does so only where it is a key already.
IDENTIFIERS = frozenset({"id", "code", "key", "no", "nr", "num", "number", "uid", "uuid", "guid", "pk", "fk", "sk", "ref"})
_GENERIC = IDENTIFIERS | {"name", "row", "identifier"}
# Words of table names that say what kind of table it is, not what its rows are.
_NOISE = frozenset({"ref", "tbl", "tb", "table", "dim", "lookup", "lkp", "list", "master", "all", "data", "header"})
_IRREGULAR = {"people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman",
              "indices": "index", "movies": "movie", "series": "series", "species": "species", "news": "news"}  # fmt: skip
_PREPOSITIONS = frozenset({"in", "by", "for", "to", "from", "via", "at", "on", "as"})
_COMPOUNDS = frozenset({("email", "address"), ("mail", "address"), ("ip", "address"), ("web", "address"), ("web", "site")})
_QUANTITIES = frozenset({"count", "total", "amount", "quantity", "number", "num", "sum", "average", "avg", "time", "date"})
_TIMES = frozenset({"year", "month", "day", "date", "week", "quarter", "season", "semester", "time", "hour", "period"})
# Relations between two rows of one table: of any table, and of a table of people.
_SELF = (("parent",), ("reports", "to"), ("report", "to"), ("predecessor",), ("successor",), ("previous",), ("superior",))
_SELF_PEOPLE = (("manager",), ("supervisor",), ("boss",), ("managed", "by"), ("mentor",), ("mother",), ("father",), ("spouse",))
_PEOPLE = frozenset({"employee", "staff", "person", "user", "worker", "member", "emp"})


@dataclass(frozen=True)
class NameMatch:
    """How a name points at a key.

    Args:
        kind: `same`, `table`, `role`, `named`, `short`, `suffixed`, `self`.
        score: in [0, 1]; how often such a name is right.
        owner: in [0, 1]; how well the name of the target's table fits what the column names.
        role: the words that say the role, if any.
    """

    kind: str
    score: float
    owner: float
    role: Words = ()


@lru_cache(maxsize=100_000)
def words(name: str) -> Words:
    """The words of a name in the singular, in lower case.

    >>> words("SupplierCompanyIDs"), words("order_details"), words("year.key")
    (('supplier', 'company', 'id'), ('order', 'detail'), ('year', 'key'))
    """
    split = _WORD.findall(_INNER_ID.sub("_ID_", name.replace("IDs", "Ids")))
    return tuple(_singular(word.lower()) for word in split) or (name.lower(),)


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s"):
        return "id" if word == "ids" else word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "uses")) and not word.endswith("houses"):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


@lru_cache(maxsize=100_000)
def stem(name: str) -> Words:
    """The words of a name without the identifier word at its end: `CustomerID` -> customer; `id` -> nothing."""
    found = words(name)
    return found[:-1] if found[-1] in IDENTIFIERS else found


def is_identifier(name: str) -> bool:
    """Whether a name ends with an identifier word, also one that is glued to it (`stuid`)."""
    last = words(name)[-1]
    return last in IDENTIFIERS or (len(last) > 3 and last.endswith("id") and not last.endswith(("aid", "uid", "oid")))


def names_thing(name: str) -> bool:
    """Whether a key is called an identifier or a name, as `city_id` and `city_name` are and `note` is not."""
    return is_identifier(name) or words(name)[-1] == "name"


def is_generic(name: str) -> bool:
    """Whether a name says no more than that it identifies: `id`, `Code`, `row_id`."""
    return all(word in _GENERIC for word in words(name))


def is_time(name: str) -> bool:
    """Whether a name means a time, which tells only the rows of a calendar apart: `yearID`."""
    return all(word in _TIMES for word in stem(name)) and bool(stem(name))


@lru_cache(maxsize=100_000)
def table_words(name: str) -> Words:
    """The words of a table's name that say what its rows are: `Ref_Document_Types` -> document, type."""
    found = words(name.rpartition(".")[2])
    kept = tuple(word for word in found if word not in _NOISE)
    return kept or found


def abbreviates(short: str, long: str) -> bool:
    """Whether a word is short for another: `cust` for customer, `dept` for department, `emp` for employee.

    >>> abbreviates("dept", "department"), abbreviates("stu", "student"), abbreviates("order", "orchestra")
    (True, True, False)
    """
    if len(short) < 3 or len(short) >= len(long) or short[0] != long[0]:
        return False
    if long.startswith(short):
        return True
    if len(short) > 5 or short[1:2] != long[1:2]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


@lru_cache(maxsize=200_000)
def names_table(found: Words, table: Words) -> float:
    """How well words name a table: 1 the whole name, less its last words, its abbreviation, its initials."""
    if not found or not table:
        return 0.0
    if found == table or "".join(found) == "".join(table):
        return 1.0
    if len(found) < len(table) and table[-len(found) :] == found:
        return 0.85
    if len(found) == len(table) and all(a == b or abbreviates(a, b) for a, b in zip(found, table, strict=True)):
        return 0.8
    if len(found) == 1 and len(table) > 1 and len(found[0]) == len(table) and found[0] == "".join(w[0] for w in table):
        return 0.75
    if len(found) == 1 and abbreviates(found[0], table[-1]):
        return 0.65
    if len(found) < len(table) and table[: len(found)] == found:
        return 0.5
    return 0.0


@lru_cache(maxsize=500_000)
def match_names(column: str, column_table: str, key: str, key_table: str) -> NameMatch | None:
    """How the name of a column points at the key of a table (perhaps its own), or None."""
    if column_table == key_table:
        return _match_own(column, key, key_table)
    own = owner(key, key_table)
    mine, theirs = words(column), words(key)
    if "".join(mine) == "".join(theirs):
        return None if is_generic(key) else NameMatch("same", 0.9, own)
    if is_identifier(key) and not is_generic(key):
        if mine[-len(theirs) :] == theirs:
            return NameMatch("role", 0.85, own, mine[: -len(theirs)])
        if mine[: len(theirs)] == theirs:
            return NameMatch("suffixed", 0.7, own, mine[len(theirs) :])
    found = _match_table(column, key, key_table, own)
    if found and found.kind == "named" and found.role and names_table(found.role, table_words(column_table)) >= 0.6:
        return None  # Customers.customer_address is an attribute of customers
    return found


@lru_cache(maxsize=100_000)
def owner(key: str, table: str) -> float:
    """How well the name of a column fits as the key of its table: `id` fits any, `city_id` and `city_name` fit `city`."""
    if is_generic(key):
        return 1.0
    rows, found = table_words(table), words(key)
    about = found[:-1] if found[-1] in _GENERIC else found
    if len(about) == 1 and about[0] == rows[-1][0]:
        return 0.7  # genre.g_name
    if len(about) == 1 and about[0].endswith("id") and about == found:
        glued = about[0][:-2]  # aid, dormid
        return max(names_table((glued,), rows), 0.7 if glued == rows[-1][0] else 0.0)
    if len(about) > len(rows) and about[: len(rows)] == rows and is_identifier(key):
        return 0.7  # player.player_api_id
    return names_table(about, rows)


def _match_table(column: str, key: str, table: str, own: float) -> NameMatch | None:
    """By the name of the table: `airport_id`, `ship_city_id`, `Manufacturer`. The key's name may say something else then,
    as in `Physician.EmployeeID`, if the whole name of the table is said."""
    about, mine, rows = stem(column), words(column), table_words(table)
    identified = len(about) < len(mine)
    if identified and not is_generic(key) and words(key)[-1] in IDENTIFIERS and words(key)[-1] != mine[-1]:
        return None  # city_code is no city_id
    if not identified and (_counts(mine) or about[-2:] in _COMPOUNDS or (_is_plural(column) and about != rows)):
        return None  # number_of_hosts, email_address, home_games
    best: NameMatch | None = None
    for role, named, trust in _readings(about):
        fit = names_table(named, rows)
        if fit < 0.6 or (fit < 1.0 and (own < 0.6 or (role and not identified and trust == 1.0))):
            continue
        if identified and role and fit < 1.0 and not is_generic(key):
            continue  # customer_type_id is no order_type_id
        if identified and role and fit < 1.0:
            kind, score = "short", 0.9 * fit * 0.95
        elif identified:
            kind = "role" if role else ("table" if fit >= 0.85 else "short")
            score = 0.9 * fit * (0.95 if role else 1.0)
        else:
            kind, score = "named", 0.8 * fit * (0.85 if role else 1.0)
        score *= trust * (1.0 if own >= 0.6 else 0.85)
        if best is None or score > best.score:
            best = NameMatch(kind, score, fit if own >= 0.6 else 0.5, role)
    return best


def _readings(about: Words) -> Iterator[tuple[Words, Words, float]]:
    """The ways to read words as a role and a table: (ship) city, (recorded by) staff, member (in charge); with a weight."""
    for cut in range(len(about)):
        yield about[:cut], about[cut:], 1.0
    for cut in range(1, len(about)):
        if about[cut] in _PREPOSITIONS:
            yield about[cut:], about[:cut], 0.85


def _counts(found: Words) -> bool:
    """Whether words name a quantity: `no_of_customers`, `order_count`."""
    return "of" in found[:2] or found[-1] in _QUANTITIES or found[0] in _QUANTITIES


def _is_plural(name: str) -> bool:
    last = _WORD.findall(name)[-1:]
    return bool(last) and _singular(last[0].lower()) != last[0].lower()


def _match_own(column: str, key: str, table: str) -> NameMatch | None:
    """A column that refers to another row of its own table."""
    if column == key:
        return None
    mine, theirs, rows = words(column), words(key), table_words(table)
    about = stem(column)
    if not is_generic(key) and len(mine) > len(theirs) and mine[-len(theirs) :] == theirs:
        return NameMatch("self", 0.8, 1.0, mine[: -len(theirs)])
    people = bool(_PEOPLE & set(rows))
    if about in _SELF or (people and about in _SELF_PEOPLE):
        return NameMatch("self", 0.8, 1.0, about)
    for relation in _SELF:
        if about[: len(relation)] == relation and names_table(about[len(relation) :], rows) >= 0.85:
            return NameMatch("self", 0.85, 1.0, relation)
    return None
