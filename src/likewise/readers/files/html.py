"""Web pages: their main text without navigation, and what they say about themselves.

What stands in `main` or in one `article` is the text, else the whole body. Parts that are by name
no text (nav, footer, a menu), and blocks that are mostly links, are left out; if nothing would be
left, they stay.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import InputError
from likewise.readers.encodings import decoded
from likewise.readers.fieldvalues import bare_doi, people, pmid, whole_year, words
from likewise.readers.files.one import one_document, tidy, whole
from likewise.readers.formats import library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.streams import Source

LARGEST_PAGE = 1 << 26  # bytes
MOST_NODES = 2_000_000
CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{2,40})""", re.I)
HEAD = 4096  # bytes in which a page names its encoding
NO_TEXT = {
    "script", "style", "noscript", "template", "svg", "math-annotation", "iframe", "object",
    "canvas", "head", "button", "select", "textarea", "input", "dialog",
}  # fmt: skip
NO_CONTENT = {"nav", "aside", "footer", "form", "menu"}
ROLES = {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "complementary"}
NAMED = re.compile(
    r"((site|main|page|top|global|primary|secondary|mobile|left|right)[-_]?)?"
    r"(nav|navbar|navigation|menu|sidebar|footer|breadcrumbs?|masthead|toolbar|topbar"
    r"|cookies?([-_]\w+)?|social([-_]\w+)?|share([-_]\w+)?|related([-_]\w+)?|adverts?|promo"
    r"|newsletter|subscribe|pagination|skip[-_]?link)",
    re.IGNORECASE,
)
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary",
    "table", "tbody", "tfoot", "thead", "tr", "ul",
}  # fmt: skip
CONTAINERS = {"ul", "ol", "dl", "div", "section", "table", "header"}
CELLS = {"td", "th"}
MOSTLY = 0.5  # of a block's characters in links: it leads elsewhere
ENOUGH = 0.3  # of the page's text in its main part, or that is not it
LETTER = re.compile(r"\w")
SPACE = re.compile(r"[^\S\n]+")
LINES = re.compile(r" ?\n[\n ]*")
SEPARATOR = re.compile(r"\s+[|–—·»-]\s+")


def _html(source: Source) -> dict[str, Any]:
    data = whole(source)
    tree = _tree(data, source)
    said = _said(tree)
    heading = tree.css_first("h1")
    title = _title(said, tree, tidy(heading.text()) if heading is not None else "")
    text = _main_text(tree, source).removeprefix(title).strip()
    names = said.get("citation_author") or said.get("dc.creator") or said.get("author", [])
    return {
        "title": title,
        "authors": [name for one in names for name in people(one) or ()],
        "year": whole_year(_first(said, "citation_publication_date", "citation_date", "dc.date")),
        "journal": _first(said, "citation_journal_title"),
        "doi": bare_doi(_first(said, "citation_doi", "prism.doi", "dc.identifier")),
        "pmid": pmid(_first(said, "citation_pmid")),
        "keywords": _keywords(said),
        "url": _address(tree, said),
        "abstract": _first(said, "citation_abstract"),
        "text": text,
    }


def page_text(data: bytes, source: Source) -> str:
    """All text of a page that has no navigation, as those of a book."""
    tree = _tree(data, source)
    return _Walk(source, everything=True).text(tree.body) if tree.body is not None else ""


def plain_text(markup: str, source: Source) -> str:
    """All text of a piece of HTML, as of a letter."""
    return page_text(markup.encode("utf-8", "replace"), source)


def _tree(data: bytes, source: Source) -> Any:
    if len(data) > LARGEST_PAGE:
        raise InputError(f"{source.name} has a page of more than {LARGEST_PAGE:,} bytes")
    parser = library("selectolax.lexbor", source, "HTML")
    named = CHARSET.search(data[:HEAD])
    text = decoded(data, named[1].decode() if named else None)
    return parser.LexborHTMLParser(text)


def _main_text(tree: Any, source: Source) -> str:
    body = tree.body
    if body is None:
        return ""
    text = _Walk(source).text(body)
    for root in _mains(tree):
        found = _Walk(source).text(root)
        if len(found) >= ENOUGH * len(text):
            return found
    return text if LETTER.search(text) else _Walk(source, everything=True).text(body)


def _mains(tree: Any) -> Iterator[Any]:
    for selector in ("main, [role=main]", "article"):
        found = tree.css(selector)
        if len(found) == 1:
            yield found[0]


class _Block(NamedTuple):
    """An element whose end has not been met: its text so far, and how much of it is in links."""

    tag: str
    parts: list[str]
    linked: list[int]


class _Walk:
    """Collects text without recursion: a page may be nested as deep as it likes."""

    def __init__(self, source: Source, everything: bool = False) -> None:
        self._source, self._everything = source, everything

    def text(self, root: Any) -> str:
        top = _Block("", [], [])
        stack: list[tuple[Any, _Block | None]] = [(root, None)]
        open_blocks = [top]
        nodes = 0
        while stack:
            node, ended = stack.pop()
            if ended is not None:
                open_blocks.pop()
                self._close(ended, open_blocks[-1])
                continue
            nodes += 1
            if nodes > MOST_NODES:
                raise InputError(f"{self._source.name} has more than {MOST_NODES:,} elements")
            if node.is_text_node:
                open_blocks[-1].parts.append(node.text_content or "")
            elif node.is_element_node and not self._left_out(node, node is root):
                block = _Block(node.tag or "", [], [])
                open_blocks.append(block)
                stack.append((node, block))
                stack.extend(
                    (child, None) for child in reversed(list(node.iter(include_text=True)))
                )
        return LINES.sub("\n", SPACE.sub(" ", "".join(top.parts))).strip()

    def _left_out(self, node: Any, is_root: bool) -> bool:
        tag = node.tag
        if tag in NO_TEXT:
            return True
        attributes = node.attributes
        if "hidden" in attributes or attributes.get("aria-hidden") == "true":
            return not is_root
        if self._everything or is_root:
            return False
        if tag in NO_CONTENT or (attributes.get("role") or "").lower() in ROLES:
            return True
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        return tag in CONTAINERS and any(map(NAMED.fullmatch, names.split()))

    def _close(self, block: _Block, outer: _Block) -> None:
        text = "".join(block.parts)
        linked = len(text.strip()) if block.tag == "a" else sum(block.linked)
        if self._leads_elsewhere(block.tag, linked, text):
            return
        outer.linked.append(linked)
        if block.tag in BLOCKS:
            text = f"\n{text}\n"
        elif block.tag in CELLS:
            text = f" {text} "
        outer.parts.append(text)

    def _leads_elsewhere(self, tag: str, linked: int, text: str) -> bool:
        if self._everything or not linked or tag not in CONTAINERS:
            return False
        return linked > MOSTLY * len(SPACE.sub(" ", text).strip())


def _said(tree: Any) -> dict[str, list[str]]:
    """The page's meta elements by name, in small letters."""
    found: dict[str, list[str]] = {}
    for meta in tree.css("meta"):
        attributes = meta.attributes
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name and (content := tidy(attributes.get("content") or "")):
            found.setdefault(name, []).append(content)
    return found


def _first(said: dict[str, list[str]], *names: str) -> str:
    return next((said[name][0] for name in names if name in said), "")


def _title(said: dict[str, list[str]], tree: Any, heading: str) -> str:
    named = _first(said, "citation_title", "dc.title", "og:title")
    if named:
        return named
    element = tree.css_first("title")
    whole_title = tidy(element.text()) if element is not None else ""
    if heading and len(tree.css("h1")) == 1:
        return heading
    return next(iter(SEPARATOR.split(whole_title)), "") or heading


def _keywords(said: dict[str, list[str]]) -> list[str]:
    given = said.get("citation_keywords") or said.get("keywords", [])
    return [word for one in given for word in words(one) or () if word]


def _address(tree: Any, said: dict[str, list[str]]) -> str:
    link = tree.css_first("link[rel=canonical]")
    named = (link.attributes.get("href") if link is not None else None) or _first(said, "og:url")
    return named if named.startswith(("http://", "https://")) else ""


read_html = one_document(_html)
