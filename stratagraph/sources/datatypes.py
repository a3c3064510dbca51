"""Which XSD datatype the values of a column have, by the source's name of its type (R2RML, section 10).

Only names are looked at, no values: what a value's lexical form is, and whether it is one at all, is decided in
`sql/direct_map/create_macros.sql`. Names of SQLite, PostgreSQL, MySQL and MariaDB are known, those that the SQL standard
has, and those that files and feeds use; every other type is text, as R2RML has it.
"""

from __future__ import annotations

import re

XSD = "http://www.w3.org/2001/XMLSchema#"

STRING, INTEGER, DECIMAL, DOUBLE, BOOLEAN = (XSD + name for name in ("string", "integer", "decimal", "double", "boolean"))
DATE, TIME, DATE_TIME, YEAR, BINARY = (XSD + name for name in ("date", "time", "dateTime", "gYear", "hexBinary"))

# By the name without its arguments and modifiers, in capitals.
_DATATYPES = {
    INTEGER: r"(TINY|SMALL|MEDIUM|BIG|HUGE|U|UTINY|USMALL|UBIG|UHUGE|UNSIGNED BIG )?INT(EGER)?\d*|(SMALL|BIG)?SERIAL\d*",
    DECIMAL: r"DEC(IMAL)?|NUMERIC|NUMBER|FIXED|(SMALL)?MONEY",
    DOUBLE: r"FLOAT\d*|REAL|DOUBLE|DOUBLE PRECISION|BINARY_(FLOAT|DOUBLE)",
    BOOLEAN: r"BOOL(EAN)?|BIT",
    DATE: r"DATE",
    TIME: r"TIME|TIMETZ|TIME WITH(OUT)? TIME ZONE",
    DATE_TIME: r"(SMALL)?DATETIME\d*|DATETIMEOFFSET|TIMESTAMP(TZ|_(S|MS|NS|TZ|NTZ|LTZ)| WITH(OUT)?( LOCAL)? TIME ZONE)?",
    YEAR: r"YEAR",
    BINARY: r"(TINY|MEDIUM|LONG)?BLOB|BYTEA|BYTES|BINARY|VARBINARY|BINARY VARYING|BINARY LARGE OBJECT|IMAGE|(LONG )?RAW",
}
_PADDED = re.compile(r"N?CHAR|CHARACTER|BPCHAR|NATIONAL CHAR(ACTER)?")
_UNKNOWN = re.compile(r"|ANY|NULL|JSON TEXT")  # the values say themselves what they are
_ARGUMENTS = re.compile(r"\s*\(([^)]*)\)")
_MODIFIERS = re.compile(r"\s+(UNSIGNED|SIGNED|ZEROFILL|COLLATE|CHARACTER SET|CHARSET|BINARY)\b(?! BIG).*")


def datatype_of(declared: str) -> str | None:
    """IRI of the XSD datatype of a type's values; None where only each value can tell.

    >>> datatype_of("DOUBLE PRECISION"), datatype_of("varchar(20)"), datatype_of("")
    ('http://www.w3.org/2001/XMLSchema#double', 'http://www.w3.org/2001/XMLSchema#string', None)
    """
    name, arguments = _parsed(declared)
    if _UNKNOWN.fullmatch(name):
        return None
    if name == "TINYINT" and arguments == "1":  # what MySQL makes of BOOLEAN
        return BOOLEAN
    if name == "BIT" and arguments not in ("", "1"):  # text of 0 and 1 in PostgreSQL, a number in MySQL
        return None
    return next((datatype for datatype, names in _DATATYPES.items() if re.fullmatch(names, name)), STRING)


def padded_width(declared: str) -> int | None:
    """How many characters a text of a fixed length has, blanks behind it included; None for any other type.

    >>> padded_width("CHAR(15)"), padded_width("character"), padded_width("VARCHAR(15)")
    (15, 1, None)
    """
    name, arguments = _parsed(declared)
    if not _PADDED.fullmatch(name):
        return None
    length = arguments.split()[0] if arguments else "1"  # CHAR(15 CHAR) is Oracle's
    return int(length) if length.isdecimal() else None


def _parsed(declared: str) -> tuple[str, str]:
    """A type's name in capitals, without arguments and modifiers, and its first arguments."""
    text = " ".join(declared.upper().split())
    arguments = _ARGUMENTS.search(text)
    return _MODIFIERS.sub("", _ARGUMENTS.sub("", text)), arguments[1].strip() if arguments else ""
