"""An object of CSL-JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.document import EMPTY
from likewise.readers.fieldnames import CSL
from likewise.readers.fieldvalues import VALUES, whole_year
from likewise.readers.mapping import complete
from likewise.readers.reftypes import BOOK_PARTS, CSL_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

SIGNS = frozenset(
    {"issued", "container-title", "title-short", "citation-key", "author", "DOI", "custom"}
)
OWN = frozenset({"custom", "container-title", "issued", "type"})
ALIASES = {alias: name for name, all in reversed(CSL.items()) for alias in reversed(all)}


def is_csl(item: Mapping[str, Any]) -> bool:
    """Whether an object is of CSL: it has a type that CSL knows and a variable of CSL's own."""
    return item.get("type") in CSL_TYPES and not SIGNS.isdisjoint(item)


def values_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item with canonical names."""
    custom = item.get("custom")
    values: dict[str, Any] = dict(custom) if isinstance(custom, dict) else {}
    values.pop("likewise", None)  # what a search or a review said when it was written
    if custom not in EMPTY and not isinstance(custom, dict):
        values["custom"] = custom
    values["type"] = item["type"]
    for key, given in item.items():
        name = ALIASES.get(key, key)
        if key in OWN or given in EMPTY:
            continue
        value = VALUES[name](given) if name in VALUES else given
        values |= {key: given} if value is None or name in values else {name: value}
    container = item.get("container-title")
    if isinstance(container, list):  # as Crossref has it
        container = container[0] if container else None
    if container not in EMPTY:
        values["booktitle" if item["type"] in BOOK_PARTS else "journal"] = container
    _issued(values, item.get("issued"))
    return complete(values)


def _issued(values: dict[str, Any], issued: Any) -> None:
    if issued in EMPTY:
        return
    date = _date(issued)
    year = whole_year(date)
    if year is not None:
        values["year"] = year
    if date and date != str(year):
        values.setdefault("date", date)
    if not date:
        values["issued"] = issued


def _date(issued: Any) -> str:
    """2019-05-02 of {"date-parts": [[2019, 5, 2]]}; as written otherwise."""
    if isinstance(issued, str):
        return issued
    if not isinstance(issued, dict):
        return ""
    parts = issued.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        numbers = [str(part) for part in parts[0] if part not in EMPTY]
        return "-".join(number.zfill(2) for number in numbers)
    for key in "raw", "literal":
        if isinstance(issued.get(key), str):
            return str(issued[key])
    return ""
