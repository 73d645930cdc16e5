"""The fields of a BibTeX entry under canonical names."""

from __future__ import annotations

import re
from typing import Any

from likewise.readers.fieldnames import BIBTEX, BIBTEX_TYPE
from likewise.readers.fieldvalues import bare_doi, pmcid, pmid, whole_year, words
from likewise.readers.mapping import complete
from likewise.readers.references.latex import as_text
from likewise.readers.reftypes import BIBTEX_TYPES

BRACES = re.compile(r"[{}]")
AND = re.compile(r"\band\b", re.IGNORECASE)
VERBATIM = frozenset({"url", "doi", "file", "eprint"})
ALIASES = {alias: (name, rank) for name, all in BIBTEX.items() for rank, alias in enumerate(all)}
APART = frozenset({"authors", "editors", "keywords", "files", "notes", "year", "date", "doi"})
COLON = re.compile(r"(?<!\\):")


def values_of(type: str, key: str, fields: dict[str, str]) -> dict[str, Any]:
    """The entry as a record."""
    values: dict[str, Any] = {"id": key} if key else {}
    best: dict[str, str] = {}
    for field in fields:
        known = ALIASES.get(field)
        if known and fields[field].strip():
            name, rank = known
            if name not in best or rank < ALIASES[best[name]][1]:
                best[name] = field
    used = set(best.values())
    for name, field in best.items():
        raw = fields[field]
        if name in APART:
            used -= _special(values, name, field, raw)
        else:
            values[name] = _plain(field, raw)
    if "pages" in values:
        values["pages"] = re.sub(r"\s*[-–—]+\s*", "-", values["pages"])
    for field, raw in fields.items():
        if field not in used and raw.strip():
            name = field if field not in values else f"bibtex_{field}"
            values[name] = _plain(field, raw)
    values["type"] = BIBTEX_TYPES.get(type, "document")
    values[BIBTEX_TYPE] = type
    _identifiers(values)
    return complete(values)


def _plain(field: str, raw: str) -> str:
    if field in VERBATIM:
        return " ".join(
            re.sub(r"\\([_&%#$~])", r"\1", raw.replace("{", "").replace("}", "")).split()
        )
    return as_text(raw)


def _special(values: dict[str, Any], name: str, field: str, raw: str) -> set[str]:
    """Fill a field that is more than text; the names of fields that are kept as they are, too."""
    if name in ("authors", "editors"):
        values[name] = people(raw)
    elif name == "keywords":
        values[name] = words(as_text(raw)) or []
    elif name == "files":
        values[name] = [path for item in raw.split(";") if (path := _path(item))] or [raw]
    elif name == "notes":
        values[name] = [as_text(raw)]
    elif name == "date":
        values[name] = as_text(raw)
    elif name == "doi":
        doi = bare_doi(_plain("doi", raw))
        if doi is None:
            return {field}
        values[name] = doi
    else:
        text = as_text(raw)
        year = whole_year(text)
        if year is None:
            values["date"] = values.get("date") or text
            return set()
        values["year"] = year
        if text != str(year):
            values.setdefault("date", text)
    return set()


def _path(item: str) -> str:
    """The path in JabRef's and Zotero's `description:path:type`."""
    parts = COLON.split(item.strip())
    path = parts[-2] if len(parts) >= 3 else item.strip()
    return re.sub(r"\\([:;\\_])", r"\1", path)


def people(raw: str) -> list[str]:
    """Names, each "Family, Given": BibTeX separates them by `and` outside of braces."""
    names, depth, start, checked = [], 0, 0, 0
    for word in AND.finditer(raw):
        for brace in BRACES.finditer(raw, checked, word.start()):
            depth += 1 if brace[0] == "{" else -1
        checked = word.start()
        blank = raw[word.start() - 1 : word.start()].isspace() and raw[word.end() : word.end() + 1]
        if depth <= 0 and blank and blank.isspace():
            names.append(raw[start : word.start()])
            start = word.end()
    names.append(raw[start:])
    return [name for text in names if text.strip() and (name := _person(text.strip()))]


def _person(raw: str) -> str:
    """Family name first; a name in braces is not taken apart."""
    if raw.startswith("{") and raw.endswith("}") and raw.count("{") == 1:
        return as_text(raw)
    parts = _outside(raw, ",")
    if len(parts) == 3:  # Family, Jr, Given
        return ", ".join(as_text(part) for part in (parts[0], parts[2], parts[1]) if part.strip())
    if len(parts) != 1:
        return ", ".join(as_text(part) for part in parts if part.strip())
    pieces = [as_text(piece) for piece in _outside(raw, " ")]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2:
        return " ".join(pieces)
    small = next((i for i, piece in enumerate(pieces[:-1]) if i and piece[0].islower()), None)
    family = small if small is not None else len(pieces) - 1
    return f"{' '.join(pieces[family:])}, {' '.join(pieces[:family])}"


def _outside(raw: str, mark: str) -> list[str]:
    """The parts between marks that are not in braces."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(raw):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
        elif depth <= 0 and (letter == mark or (mark == " " and letter in "~\t\n")):
            parts.append(raw[start:i])
            start = i + 1
    return [*parts, raw[start:]]


def _identifiers(values: dict[str, Any]) -> None:
    kind = str(values.get("eprinttype") or values.get("archiveprefix") or "").lower()
    if kind in ("pubmed", "pmid") and "pmid" not in values:
        values["pmid"] = values.get("eprint")
    for name, check in (("pmid", pmid), ("pmcid", pmcid)):
        if name in values:
            found = check(values[name])
            if found is None:
                values[f"bibtex_{name}"] = values.pop(name)
            else:
                values[name] = found
