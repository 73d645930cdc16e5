"""E-books: the chapters in their order, and what the book says about itself."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from likewise.errors import InputError
from likewise.readers.fieldvalues import people, whole_year
from likewise.readers.files.html import page_text
from likewise.readers.files.one import one_document
from likewise.readers.files.package import Elements, Package, Properties, parse

if TYPE_CHECKING:
    from likewise.readers.streams import Source

CONTAINER = "META-INF/container.xml"


def _epub(source: Source) -> dict[str, Any]:
    package = Package(source, ".epub")
    files = Elements("rootfile")
    parse(package.needed(CONTAINER), files, source)
    root = next((one["full-path"] for one in files.found if "full-path" in one), "")
    if not root:
        raise InputError(f"{source.name} is no .epub file: {CONTAINER} names no book")
    book = package.needed(root)
    said, items, spine = Properties(), Elements("item"), Elements("itemref")
    for markup in (said, items, spine):
        parse(book, markup, source)
    folder = posixpath.dirname(root)
    places = {
        one["id"]: posixpath.normpath(posixpath.join(folder, unquote(one["href"])))
        for one in items.found
        if "id" in one and "href" in one
    }
    chapters = [places.get(one.get("idref", ""), "") for one in spine.found]
    texts = [page_text(package.read(name), source) for name in chapters if name in package.names]
    return {
        "title": next(iter(said.found.get("title", [])), ""),
        "authors": [name for one in said.found.get("creator", []) for name in people(one) or ()],
        "year": whole_year(" ".join(said.found.get("date", []))),
        "keywords": said.found.get("subject", []),
        "publisher": " ".join(said.found.get("publisher", [])),
        "type": "book",
        "text": "\n\n".join(filter(None, texts)),
    }


read_epub = one_document(_epub)
