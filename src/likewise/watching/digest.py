"""Entries as a digest: text for people, JSON for programs, Atom for feed readers (RFC 4287)."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5
from xml.etree import ElementTree

import msgspec

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.watching.arrivals import Entry

ATOM = "http://www.w3.org/2005/Atom"
NEVER = "1970-01-01T00:00:00Z"  # a feed must say when it was changed
# What XML 1.0 has no place for.
INVALID = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LINK = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x20]+")


def as_text(title: str, key: str, entries: Sequence[Entry]) -> str:
    """One paragraph an entry, under the name of its query."""
    lines = [f"{title}\n"]
    query = None
    for one in entries:
        if one.query != query:
            lines.append(f"\n{_named(one.query)}\n")
            query = one.query
        named = _line(one.title) or _line(one.id)
        lines.append(f"  {one.updated}  {one.score:.4g}  {_line(one.id)}  {named}\n")
    return "".join(lines)


def as_json(title: str, key: str, entries: Sequence[Entry]) -> str:
    listed = [one._asdict() for one in entries]
    text = msgspec.json.encode({"title": title, "entries": listed})
    return msgspec.json.format(text, indent=2).decode() + "\n"


def as_atom(title: str, key: str, entries: Sequence[Entry]) -> str:
    """A feed whose ids stay the same, as long as index and queries have their names."""
    space = uuid5(NAMESPACE_URL, f"https://likewise.invalid/watch/{key}")
    ElementTree.register_namespace("", ATOM)
    feed = ElementTree.Element(f"{{{ATOM}}}feed")
    _put(feed, "id", space.urn)
    _put(feed, "title", title)
    _put(feed, "updated", max((one.updated for one in entries), default=NEVER))
    _put(ElementTree.SubElement(feed, f"{{{ATOM}}}author"), "name", "likewise")
    _put(feed, "generator", "likewise")
    for one in entries:
        _put_entry(ElementTree.SubElement(feed, f"{{{ATOM}}}entry"), space, one)
    ElementTree.indent(feed)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(feed, "unicode") + "\n"


def _put_entry(entry: ElementTree.Element, space: UUID, one: Entry) -> None:
    _put(entry, "id", uuid5(space, f"{one.query}\n{one.id}").urn)
    _put(entry, "title", one.title or one.id)
    _put(entry, "updated", one.updated)
    if LINK.fullmatch(one.link):
        ElementTree.SubElement(entry, f"{{{ATOM}}}link", rel="alternate", href=one.link)
    ElementTree.SubElement(entry, f"{{{ATOM}}}category", term=_valid(_named(one.query)))
    content = f"{one.summary}\n\n{one.id}, score {one.score:.4g}, query {_named(one.query)}"
    _put(entry, "content", content.strip()).set("type", "text")


def _put(parent: ElementTree.Element, name: str, text: str) -> ElementTree.Element:
    made = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}")
    made.text = _valid(text)
    return made


def _valid(text: str) -> str:
    return INVALID.sub(" ", text)


def _named(query: str) -> str:
    """A query as people call it: its file without folder and suffix."""
    return _line(PurePath(query).stem)


def _line(text: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


FORMATS: dict[str, Callable[[str, str, Sequence[Entry]], str]] = {
    ".txt": as_text,
    ".json": as_json,
    ".xml": as_atom,
    ".atom": as_atom,
}


def writer_of(path: PurePath) -> Callable[[str, str, Sequence[Entry]], str]:
    """The function that writes a digest of this suffix."""
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise UsageError(f"the suffix of {path} does not tell its format: {', '.join(FORMATS)}")
    return found
