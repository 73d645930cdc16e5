"""PDF: the text layer, and title, authors and DOI where they can be found.

The title is what the file says about itself if its first page says so too, else what stands there
in the largest type. Words that were broken at the end of a line are joined, and lines that are the
same at the head or foot of most pages are left out. A file without text (a scan) or with a password
is named; nothing is guessed.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError, sentence
from likewise.readers.fieldvalues import people, person, words
from likewise.readers.files.frontpage import Run, doi_of, title_of, usable
from likewise.readers.files.one import one_document, tidy, whole
from likewise.readers.formats import library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.streams import Source

MOST_PAGES = 10_000
MOST_CHARACTERS = 50_000_000
LEAST_LETTERS = 20  # of a text layer
PASSWORD = 4  # pdfium's number for this error
EDGE = 2  # lines at the head and foot of a page that may repeat
FEW_LINES = 6  # a page of so few has no head and foot to speak of
TITLE_CHARACTERS = 6000  # of the first page that are looked at
SIZED_CHARACTERS = 2000  # whose size of type is asked for, one by one
BROKEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\ufffe\x02]\r?\n(?=[^\W\d_])")
SPLIT_HYPHEN = re.compile(r"[\ufffe\x02]\s?")
DIGITS = re.compile(r"\d+")
LETTER = re.compile(r"[^\W\d_]")
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\0": ""})


def _pdf(source: Source) -> dict[str, Any]:
    pdfium = library("pypdfium2", source, "PDF")
    document = _opened(pdfium, whole(source), source)
    try:
        said = document.get_metadata_dict(skip_empty=True)
        pages, first = _pages(pdfium, document, source)
    finally:
        document.close()
    text = "\n".join(_without_edges(pages))
    if len(LETTER.findall(text[:100_000])) < LEAST_LETTERS:
        raise InputError(
            f"{source.name} has no text layer, as scans have none: recognise its text first, "
            "with a program such as OCRmyPDF"
        )
    joined = SPLIT_HYPHEN.sub("", BROKEN.sub("", text)).replace("\r", "")
    title = _title(tidy(said.get("Title", "")), first, joined)
    return {
        "title": title,
        "authors": _authors(tidy(said.get("Author", "")), joined),
        "doi": doi_of(" ".join(said.values()), pages),
        "keywords": [word for word in words(tidy(said.get("Keywords", ""))) or () if word],
        "page_count": len(pages),
        "text": joined.strip(),
    }


def _opened(pdfium: Any, data: bytes, source: Source) -> Any:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD or "assword" in str(error):
            raise InputError(f"{source.name} is encrypted: save it without its password") from error
        raise InputError(f"{source.name} is no PDF or damaged: {sentence(error)}") from error
    if len(document) > MOST_PAGES:
        document.close()
        raise InputError(f"{source.name} has more than {MOST_PAGES:,} pages: split it")
    return document


def _pages(pdfium: Any, document: Any, source: Source) -> tuple[list[str], list[Run]]:
    """Each page's text, and the first page by size of type."""
    texts: list[str] = []
    first: list[Run] = []
    total = 0
    for number in range(len(document)):
        try:
            page = document[number]
            layer = page.get_textpage()
            texts.append(layer.get_text_range().translate(LIGATURES))
            if not first:
                first = list(_runs(pdfium.raw, layer))
            layer.close()
            page.close()
        except pdfium.PdfiumError as error:
            raise InputError(f"{source.name}: page {number + 1} is damaged ({error})") from error
        total += len(texts[-1])
        if total > MOST_CHARACTERS:
            raise InputError(f"{source.name} has more than {MOST_CHARACTERS:,} characters")
    return texts, first


def _runs(raw: Any, layer: Any) -> Iterator[Run]:
    """The text of a page cut where the size of type changes; it is asked for once a word."""
    size, text = 0.0, ""
    matrix = raw.FS_MATRIX()
    begins = True
    for i in range(min(layer.count_chars(), SIZED_CHARACTERS)):
        character = chr(raw.FPDFText_GetUnicode(layer, i))
        if begins and not character.isspace():
            known = raw.FPDFText_GetMatrix(layer, i, ctypes.byref(matrix))
            scale = max(abs(matrix.a), abs(matrix.d)) if known else 1.0  # none if it is turned
            now = round(raw.FPDFText_GetFontSize(layer, i) * scale, 1)
            if text and now != size:
                yield Run(size, text)
                text = ""
            size = now
        begins = character.isspace()
        text += character
    if text:
        yield Run(size, text)


def _title(said: str, first: list[Run], text: str) -> str:
    plausible = usable(said)
    if plausible and _bare(said) in _bare(text[:TITLE_CHARACTERS]):
        return said
    return title_of(first) or (said if plausible else "")


def _authors(said: str, text: str) -> list[str]:
    """The authors that the file names, if its beginning names them too: many name a program."""
    names = [name for one in people(said) or () for name in re.split(r" and | & ", one)]
    if len(names) == 1 and said.count(",") > 1:
        names = [name for name in re.split(r"\s*,\s*", said) if name]
    head = _bare(text[:TITLE_CHARACTERS])
    return [person(name) for name in names if (last := _bare(_family(name))) and last in head]


def _family(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]


def _bare(text: str) -> str:
    """Letters and digits only, to compare what is set differently."""
    return re.sub(r"[\W_]+", "", text).lower()


def _without_edges(pages: list[str]) -> list[str]:
    """Pages without the lines that most of them have at their head or foot; numbers may differ."""
    if len(pages) < 4:
        return pages
    lines = [[line for line in page.splitlines() if line.strip()] for page in pages]
    counts = Counter(edge for page in lines for edge in {*_edges(page)})
    repeated = {edge for edge, count in counts.items() if count > len(pages) // 2}
    if not repeated:
        return pages
    return ["\n".join(_kept(page, repeated)) for page in lines]


def _kept(page: list[str], repeated: set[str]) -> list[str]:
    if len(page) <= FEW_LINES:
        return page
    inner = len(page) - EDGE
    return [
        line
        for number, line in enumerate(page)
        if EDGE <= number < inner or _edge(line) not in repeated
    ]


def _edges(page: list[str]) -> list[str]:
    return [_edge(line) for line in (*page[:EDGE], *page[-EDGE:])] if len(page) > FEW_LINES else []


def _edge(line: str) -> str:
    return DIGITS.sub("#", tidy(line))


read_pdf = one_document(_pdf)
