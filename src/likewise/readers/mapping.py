"""Records with canonical names: which field of a source becomes which, and ids that last.

Nothing is dropped: of several fields that mean the same, the first with a value gets the canonical
name, and the others keep their own; so does a value that is not what the canonical field holds.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.document import EMPTY, content_id
from likewise.readers.fieldnames import (
    CANONICAL,
    COLUMNS,
    FIRST_PAGE,
    LAST_PAGE,
    WEB_OF_SCIENCE,
    WEB_OF_SCIENCE_TELLS,
    squeezed,
)
from likewise.readers.fieldvalues import DOI_PREFIX, VALUES, bare_doi, whole_year

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

IDENTIFIERS = ("accession_number", "pmid", "doi")  # in the order in which they become ids
MOST_PLANS = 1_000  # records of one collection are alike; those that are not cost a plan each
LONGEST_NAME = 60  # characters of a name that is looked up
PAGES = {**dict.fromkeys(FIRST_PAGE, "first"), **dict.fromkeys(LAST_PAGE, "last")}
NOT_TRANSLATED = "type"  # under its canonical name it may mean anything
TEXTUAL = (str, int, type(None))
SPACE = re.compile(r"[\W_]+")


def _ranked(names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, int]]:
    """The canonical name of each alias, and its place among them."""
    return {alias: (name, rank) for name, all in names.items() for rank, alias in enumerate(all)}


ALIASES = _ranked(COLUMNS)
TAGS = _ranked(WEB_OF_SCIENCE)


class Plan(NamedTuple):
    """What to do with records that have the same keys."""

    chosen: dict[str, list[str]]
    """By canonical name, the keys that may have its value, the likeliest first."""
    first_page: str | None
    last_page: str | None
    renames: bool
    """Whether some key has another name."""


class Mapper:
    """Gives records canonical names.

    Fields in `own` keep the names that they have, and those in `filled` are there already. The
    cells of a table are text, so that their values are always looked at; of other records, only
    if some field has another name.
    """

    def __init__(
        self,
        own: Collection[str] = (),
        filled: Collection[str] = (),
        *,
        cells: bool = False,
        id_column: str | None = None,
    ) -> None:
        """`id_column` has become the id; where it is a PMID or DOI, it stays that, too."""
        self._cells = cells
        known = ALIASES.get(squeezed(id_column)) if id_column else None
        self._id_is = known[0] if known and known[0] in IDENTIFIERS else None
        self._own = frozenset(own) - CANONICAL.keys() | frozenset(filled)
        self._filled = frozenset(filled)
        self._plans: dict[tuple[str, ...], Plan] = {}

    def is_needed(self, keys: Iterable[str]) -> bool:
        """Whether some of the keys have another name."""
        return any(key not in CANONICAL and self._alias(key, ALIASES) for key in keys)

    def __call__(self, values: Mapping[str, Any]) -> dict[str, Any]:
        keys = tuple(values)
        plan = self._plans.get(keys)
        if plan is None:
            plan = self._plan(keys)
            if len(self._plans) < MOST_PLANS:
                self._plans[keys] = plan
        wanted = (plan.chosen or plan.first_page) if self._cells else plan.renames
        mapped = self._mapped(values, plan) if wanted else dict(values)
        if self._id_is is not None and mapped.get("id") not in EMPTY:
            found = VALUES.get(self._id_is, str)(mapped["id"])
            mapped |= {self._id_is: found} if found is not None else {}
        return mapped

    def _alias(self, key: str, table: Mapping[str, tuple[str, int]]) -> tuple[str, int] | None:
        if key in self._own or len(key) > LONGEST_NAME:
            return None
        found = table.get(squeezed(key))
        return None if found is None or found[0] in self._filled else found

    def _plan(self, keys: tuple[str, ...]) -> Plan:
        table = TAGS if keys and set(keys) >= WEB_OF_SCIENCE_TELLS else ALIASES
        ranked: dict[str, list[tuple[int, str]]] = {}
        pages: dict[str, str] = {}
        for key in keys:
            alias = self._alias(key, table)
            if alias is not None:
                name, rank = alias
                ranked.setdefault(name, []).append((-1 if key == name else rank, key))
            elif key not in self._own and len(key) <= LONGEST_NAME:
                end = PAGES.get(squeezed(key))
                pages |= {end: key} if end and end not in pages else {}
        if "pages" in ranked or "pages" in self._filled:
            pages = {}
        chosen = {name: [key for _, key in sorted(found)] for name, found in ranked.items()}
        return Plan(chosen, pages.get("first"), pages.get("last"), self.is_needed(keys))

    def _mapped(self, values: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
        taken: dict[str, tuple[str, Any]] = {}
        passed: set[str] = set()  # keys with nothing in them
        for name, keys in plan.chosen.items():
            key = next((key for key in keys if values[key] not in EMPTY), None)
            if key is None:
                passed.update(keys if name in VALUES else ())
                continue
            as_is = name not in VALUES or (name == NOT_TRANSLATED and key == name)
            value = values[key] if as_is else VALUES[name](values[key])
            if value is not None:
                taken[key] = name, value
                passed.update({name} - {key})
        mapped: dict[str, Any] = {}
        for key, given in values.items():
            if key in taken:
                name, value = taken[key]
                mapped[name] = value
                if name == "type" and key != name and value != given:
                    mapped[key] = given
                elif name == "year" and isinstance(given, str) and len(given.strip()) > 4:
                    mapped.setdefault("date" if "date" not in values else key, given)
            elif key not in passed:
                mapped[key] = given
        _join_pages(mapped, plan)
        return complete(mapped)


def _join_pages(mapped: dict[str, Any], plan: Plan) -> None:
    if plan.first_page is None:
        return
    first = mapped.get(plan.first_page)
    last = mapped.get(plan.last_page) if plan.last_page is not None else None
    if first in EMPTY or not isinstance(first, (str, int)) or not isinstance(last, TEXTUAL):
        return
    mapped["pages"] = page_range(str(first), "" if last is None else str(last))
    for key in plan.first_page, plan.last_page:
        mapped.pop(key, None)  # type: ignore[arg-type]


def page_range(first: str, last: str) -> str:
    """12-18 of 12 and 18."""
    return first if last in ("", first) else f"{first}-{last}"


def complete(values: dict[str, Any]) -> dict[str, Any]:
    """The record with the year that its date tells and the DOI that its address is."""
    if "date" in values and values.get("year") in EMPTY:
        year = whole_year(values["date"])
        if year is not None:
            values["year"] = year
    if "url" in values and values.get("doi") in EMPTY:
        url = values["url"]
        doi = bare_doi(url) if isinstance(url, str) and DOI_PREFIX.match(url) else None
        if doi is not None:
            values["doi"] = doi
    return values


def lasting_id(values: Mapping[str, Any]) -> str:
    """The id of a record that has none of its own; empty if the record does not tell one.

    The number that its database gave it, its PMID or DOI; else a hash of title, first author and
    year as they are compared, so that a corrected abstract does not make another document of it.
    """
    for name in IDENTIFIERS:
        value = values.get(name)
        if name in VALUES:
            value = VALUES[name](value)
        if value not in EMPTY and isinstance(value, (str, int)):
            return str(value).lower() if name == "doi" else str(value)
    title = compared(values.get("title"))
    names = values.get("authors")
    author = compared(names[0] if isinstance(names, list) and names else names).partition(" ")[0]
    year = whole_year(values.get("year"))
    if not title or not (author or year):
        return ""
    return content_id((title, author, str(year or "")))


def compared(value: Any) -> str:
    """Text without case, accents and punctuation; empty if it is no text."""
    if not isinstance(value, str):
        return ""
    apart = unicodedata.normalize("NFKD", value.casefold())
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return SPACE.sub(" ", bare).strip()
