"""How the values of canonical fields look: names of people, years, identifiers, lists.

Each function returns None where the value is not what the field holds; then it is kept as it is,
under the name that its source has for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.readers.reftypes import csl_type

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 1_000  # characters of an identifier or a year with what stands around it
YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
DOI = re.compile(r"10\.\d{4,9}/\S+")
DOI_PREFIX = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
PMID = re.compile(r"(?:pmid|medline|pubmed)?[:\s]*(\d{1,9})(?:\s*\[pmid\])?", re.IGNORECASE)
PMCID = re.compile(r"(?:pmcid:?\s*)?(PMC\d{1,9})", re.IGNORECASE)
PERSON = frozenset(
    {"family", "given", "literal", "name", "suffix", "dropping-particle", "non-dropping-particle"}
    | {"comma-suffix", "parse-names", "static-ordering"}
)
INITIALS = re.compile(r"(\S.*\S|\S),? +((?:[A-Z]\.?[- ]?){1,4})")
# "Doe J., Roe R.": as databases list authors that have initials only
ABBREVIATED = re.compile(r"[^,;]*[^,;\s.] +(?:[A-Z]\.?-?){1,4}")


def whole_year(value: Any) -> int | None:
    """2019 of 2019, "2019", "2019/05//" or "May 2019"; the first of several."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return int(value) if value == int(value) and 0 < value < 10_000 else None
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    found = YEAR.search(value)
    return int(found[1]) if found else None


def bare_doi(value: Any) -> str | None:
    """10.1/x of https://doi.org/10.1/x or doi:10.1/x."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    bare = DOI_PREFIX.sub("", value.strip(), count=1).strip()
    return bare if DOI.fullmatch(bare) else None


def pmid(value: Any) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return str(int(value)) if value > 0 and value == int(value) else None
    found = PMID.fullmatch(value.strip()) if isinstance(value, str) else None
    return found[1].lstrip("0") or None if found else None


def pmcid(value: Any) -> str | None:
    found = PMCID.fullmatch(value.strip()) if isinstance(value, str) else None
    return found[1].upper() if found else None


def people(value: Any) -> list[str] | None:
    """A list of names of "Doe, J; Roe, R", "Doe, J. and Roe, R." or "Doe J, Roe R."."""
    if isinstance(value, (list, tuple)):
        named = [name.strip() if isinstance(name, str) else csl_person(name) for name in value]
        names = [name for name in named if name is not None]
        return names if len(names) == len(value) else None
    if not isinstance(value, str):
        return None
    if ";" in value or "\n" in value:
        names = re.split(r"[;\n]", value)
    elif ", " in value and re.search(r"\S and \S", value):
        names = value.split(" and ")
    elif "," in value:
        pieces = value.rstrip(" .").split(",")
        names = pieces if all(map(ABBREVIATED.fullmatch, map(str.strip, pieces))) else [value]
    else:
        names = [value]
    return [person(name) for name in names if name.strip()]


def person(name: str) -> str:
    """With a comma before initials: "Doe, JA" of "Doe JA"; a name in full stays as it is."""
    name = " ".join(name.split())
    if "," in name:
        return name
    found = INITIALS.fullmatch(name)
    return f"{found[1]}, {found[2].strip()}" if found else name


def csl_person(value: Any) -> str | None:
    """The name in an object with `family` and `given`, `literal` or `name`, if it has no more."""
    if not isinstance(value, dict) or not value.keys() <= PERSON:
        return None
    part = {key: text for key, text in value.items() if isinstance(text, str) and text.strip()}
    family = " ".join(
        part[key] for key in ("dropping-particle", "non-dropping-particle", "family") if key in part
    )
    given = part.get("given", "")
    if family:
        return ", ".join(filter(None, (family, given, part.get("suffix", ""))))
    return part.get("literal") or part.get("name") or given or None


def words(value: Any) -> list[str] | None:
    """A list of keywords of "a; b", "a | b" or "a, b"."""
    if isinstance(value, (list, tuple)):
        found = [word.strip() for word in value if isinstance(word, str)]
        return found if len(found) == len(value) else None
    if not isinstance(value, str):
        return None
    for mark in ";", "|", "\n", ",":
        if mark in value:
            return [word for part in value.split(mark) if (word := part.strip())]
    return [value.strip()]


def texts(value: Any) -> list[str] | None:
    """A list of texts, of one of them."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, (list, tuple)) else None


def scalar(value: Any) -> str | None:
    """A volume, an issue, a page: numbers as text, since "12A" is one too."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, (str, int)) else None


def known_type(value: Any) -> str | None:
    return csl_type(value) if isinstance(value, str) else None


VALUES: dict[str, Callable[[Any], Any]] = {
    "authors": people,
    "editors": people,
    "year": whole_year,
    "doi": bare_doi,
    "pmid": pmid,
    "pmcid": pmcid,
    "keywords": words,
    "files": texts,
    "notes": texts,
    "volume": scalar,
    "issue": scalar,
    "pages": scalar,
    "type": known_type,
}
