"""What the front page of a paper says: its title, by how it is set, and its DOI.

The title is the block in the largest type that may be one. Journals and archives set other things
as large: their own name, a stamp beside the text, the kind of article, an initial of two lines.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from likewise.readers.files.one import tidy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST, LONGEST = 12, 300  # characters of a title
FEWEST = 4  # letters of a title that is one word
SIZES = 4  # the largest that are looked at
LARGER = 1.1  # than the type of the text
MARK = 4  # characters of another size that do not end a block: a note's number, an exponent
HYPHEN = re.compile(r"[\ufffe\x02]\s?")
LETTERS = re.compile(r"[^\W\d_]")
NO_TITLE = re.compile(
    r".*@.*|.*https?://.*|.*\bdoi\b.*|.*\bissn\b.*|.*www\..*|.*\belsevier\b.*"
    r"|(research|review|original|short|brief|full|technical|regular|invited|case)[- ]"
    r"(length )?(article|paper|report|communication|note|research|study|contribution)s?"
    r"|open access|contents lists available .*|journal homepage.*|available online .*"
    r"|((the )?(international |european |american |british )?journal (of|on|for)"
    r"|proceedings of|annals of|archives of|(ieee|acm) transactions on|acta) \S+( \S+){0,5}"
    r"|(abstract|introduction|contents|table of contents|chapter|part)( .{0,3}\d.*)?"
    r"|[\d.,:;()\s–-]+|vol(ume|\.) .*|.*\b(vol\.|no\.|pp\.) ?\d.*|\d+(\.\d+)*\.? \w+"
    r"|(january|february|march|april|may|june|july|august|september|october|november|december)"
    r" .{0,8}\d{4}",
    re.IGNORECASE,
)
STAMP = re.compile(r"arxiv:\S*\d", re.IGNORECASE)  # beside the text, maybe with a space after each
SAYS_NOTHING = re.compile(
    r"untitled.*|unknown|microsoft (word|powerpoint)\b.*|.*\.(docx?|pdf|tex|dvi|indd|qxd|rtf|ps)"
    r"|[\w.-]*\d[\w.-]*|slide \d+|title|layout \d+",
    re.IGNORECASE,
)
DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`\[\]]+")
DATA = re.compile(r"10\.(5281|6084|5061|17605|17632|7910|5255)/")  # Zenodo, figshare, Dryad, OSF …
REFERENCES = re.compile(
    r"^[^\w\n]{0,9}(?:\d+\.? )?(?:references|bibliography|literature cited)[^\w\n]{0,9}$",
    re.IGNORECASE | re.MULTILINE,
)


class Run(NamedTuple):
    """Neighbouring characters of one size of type."""

    size: float
    text: str


def usable(said: str) -> bool:
    """Whether what a file says is its title may be one: many name a program or a file."""
    return len(said) > 3 and not SAYS_NOTHING.fullmatch(said)


def title_of(first: Sequence[Run]) -> str:
    """The first block in the largest type that may be a title; else a name alone on top."""
    sizes = sorted({run.size for run in first}, reverse=True)
    least = LARGER * max(sizes[-1], _usual(first)) if sizes else 0.0
    for size in sizes[:SIZES]:
        if size <= least:
            break
        for block in _blocks(first, size):
            if " " in block and _may_be_title(block):
                return block
    name = tidy(first[0].text) if first and first[0].size == sizes[0] > least else ""
    return name if len(LETTERS.findall(name)) >= FEWEST and " " not in name else ""


def _may_be_title(block: str) -> bool:
    if not SHORTEST <= len(block) <= LONGEST or STAMP.search(block.replace(" ", "")):
        return False
    return not NO_TITLE.fullmatch(block)


def doi_of(said: str, pages: Sequence[str]) -> str:
    """The DOI in a file's properties, or on its first two pages before the references."""
    for text in (said, *pages[:2]):
        own, *after = REFERENCES.split(text, maxsplit=1)
        for found in DOI.finditer(own):
            if not DATA.match(found[0]):
                return _trimmed(found[0])
        if after:
            break
    return ""


def _blocks(first: Sequence[Run], size: float) -> Iterator[str]:
    """Text of one size, from its beginning to where text of another size begins."""
    block: list[str] = []
    for run in first:
        if run.size == size or (block and len(run.text.strip()) <= MARK and run.size < size):
            block.append(run.text if run.size == size or LETTERS.search(run.text) else " ")
        elif block:
            yield _joined(block)
            block = []
    if block:
        yield _joined(block)


def _joined(block: list[str]) -> str:
    return HYPHEN.sub("", tidy(" ".join(block)))


def _usual(first: Sequence[Run]) -> float:
    """The size of type of most characters."""
    counts: Counter[float] = Counter()
    for run in first:
        counts[run.size] += len(run.text)
    return max(counts, key=lambda size: counts[size]) if counts else 0.0


def _trimmed(doi: str) -> str:
    doi = doi.rstrip(".,;:'")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:'")
    return doi
