"""Word (.docx), PowerPoint (.pptx) and OpenDocument (.odt, .odp): text in order, and properties."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from likewise.readers.fieldvalues import people, words
from likewise.readers.files.one import one_document, split_title, tidy
from likewise.readers.files.package import Elements, Package, Paragraphs, Properties, parse

if TYPE_CHECKING:
    from likewise.readers.streams import Source

TITLES = {"title", "titel", "titre", "título"}  # how the style of a title is called
NOTES = ("word/footnotes.xml", "word/endnotes.xml")
LEFT_OUT = ("annotation", "tracked-changes", "note-citation", "sequence-decls", "forms")


def _docx(source: Source) -> dict[str, Any]:
    package = Package(source, ".docx")
    body = Paragraphs(inside=("t",), skip=("Fallback", "del"), style=_word_style)
    parse(package.needed("word/document.xml"), body, source)
    notes = Paragraphs(inside=("t",))
    for name in NOTES:
        if data := package.read(name):
            parse(data, notes, source)
    values = _described(_properties(package, "docProps/core.xml"))
    return _titled(values, body.texts, body.styles, notes.texts)


def _odt(source: Source) -> dict[str, Any]:
    package = Package(source, ".odt")
    body = Paragraphs(skip=LEFT_OUT, style=_open_style)
    parse(package.needed("content.xml"), body, source)
    values = _described(_properties(package, "meta.xml"))
    return _titled(values, body.texts, body.styles, [])


def _pptx(source: Source) -> dict[str, Any]:
    """Slides in their order, each with its notes."""
    package = Package(source, ".pptx")
    slides = [_slide(package, name) for name in _slides(package)]
    values = _described(_properties(package, "docProps/core.xml"))
    title = values.pop("title", "") or (slides[0][0] if slides and slides[0] else "")
    lines = ["\n".join(slide) for slide in slides if slide]
    return {"title": title, **values, "text": "\n\n".join(lines).removeprefix(title).strip()}


def _slides(package: Package) -> list[str]:
    order = Elements("sldId")
    parse(package.needed("ppt/presentation.xml"), order, package.source)
    targets = _relations(package, "ppt/presentation.xml")
    names = [targets.get(slide.get("id", ""), "") for slide in order.found]
    return [name for name in names if name in package.names]


def _slide(package: Package, name: str) -> list[str]:
    found = Paragraphs(inside=("t",), skip=("Fallback",))
    parse(package.needed(name), found, package.source)
    notes = (part for part in _relations(package, name).values() if "/notesSlides/" in part)
    for part in notes:
        if data := package.read(part):
            said = Paragraphs(inside=("t",), skip=("Fallback", "fld"))
            parse(data, said, package.source)
            found.texts += said.texts
    return found.texts


def _relations(package: Package, name: str) -> dict[str, str]:
    """The parts that a part refers to, by the id of the relation."""
    folder, base = posixpath.split(name)
    data = package.read(f"{folder}/_rels/{base}.rels")
    relations = Elements("Relationship")
    if data:
        parse(data, relations, package.source)
    return {
        one["Id"]: posixpath.normpath(posixpath.join(folder, one["Target"])).lstrip("/")
        for one in relations.found
        if "Id" in one and "Target" in one
    }


def _properties(package: Package, name: str) -> dict[str, list[str]]:
    found = Properties()
    if data := package.read(name):
        parse(data, found, package.source)
    return found.found


def _described(properties: dict[str, list[str]]) -> dict[str, Any]:
    """What a file says about itself, under the usual names of fields."""
    creators = properties.get("initial-creator") or properties.get("creator", [])
    keywords = properties.get("keywords", []) + properties.get("keyword", [])
    return {
        "title": " ".join(properties.get("title", [])),
        "authors": [name for one in creators for name in people(one) or ()],
        "keywords": [word for one in keywords for word in words(one) or () if word],
    }


def _titled(
    values: dict[str, Any], texts: list[str], styles: list[str], notes: list[str]
) -> dict[str, Any]:
    """The title of the properties, else of its style, else the first paragraph."""
    styled = next((i for i, style in enumerate(styles) if style.lower() in TITLES), None)
    title = values.pop("title", "")
    if styled is not None:
        title = title or tidy(texts[styled])
        texts = texts[:styled] + texts[styled + 1 :]
    if not title:
        title, texts = split_title(texts)
    elif texts and tidy(texts[0]) == title:
        texts = texts[1:]
    return {"title": title, **values, "text": "\n".join([*texts, *notes])}


def _word_style(name: str, attributes: dict[str, str]) -> str:
    if name != "pStyle":
        return ""
    return next((value for key, value in attributes.items() if key.endswith("}val")), "")


def _open_style(name: str, attributes: dict[str, str]) -> str:
    if name not in ("p", "h"):
        return ""
    return next((value for key, value in attributes.items() if key.endswith("}style-name")), "")


read_docx = one_document(_docx)
read_odt = one_document(_odt)
read_pptx = one_document(_pptx)
