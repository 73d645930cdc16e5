"""Libraries that read papers, pages and office files, side by side: licence, size, speed, what is
lost. Prints the table of docs/formats-compared.md.

`pip install pypdf trafilatura kreuzberg 'markitdown[docx,pdf,pptx]' charset-normalizer fpdf2`
beside `likewise[formats]`, then `python benchmarks/compare_readers.py`. Times are of the processor,
in one thread, the median of some files; what is not installed is left out.
"""

from __future__ import annotations

import io
import re
import statistics
import sys
import time
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.readers import Problems, ReadOptions
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.streams import Source

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from helpers import papers
from make_pdfs import make_pdf, texts

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = 8
WORD = re.compile(r"\w+")
MENU = "".join(f'<li><a href="/{n}">Section of number {n}</a></li>' for n in range(60))


def ours(suffix: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        source = Source(f"a{suffix}", f"a{suffix}", None, SUFFIXES[suffix], content=data)
        batches = FORMATS[source.format].load()(source, ReadOptions(), Problems())
        return "\n".join(field for batch in batches for texts in batch.texts for field in texts)

    return read


def pypdf(data: bytes) -> str:
    reader = import_module("pypdf").PdfReader(io.BytesIO(data))
    return "\n".join(page.extract_text() for page in reader.pages)


def pdfium(data: bytes) -> str:
    document = import_module("pypdfium2").PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def trafilatura(data: bytes) -> str:
    return import_module("trafilatura").extract(data.decode()) or ""


def markitdown(suffix: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        converter = import_module("markitdown").MarkItDown(enable_plugins=False)
        return str(converter.convert_stream(io.BytesIO(data), file_extension=suffix))

    return read


def kreuzberg(kind: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        return str(import_module("kreuzberg").extract_bytes_sync(data, kind).content)

    return read


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WORK: dict[str, dict[str, tuple[str, Callable[[bytes], str]]]] = {
    "PDF of ten pages": {
        "likewise over pypdfium2": ("pypdfium2", ours(".pdf")),
        "pypdfium2 alone": ("pypdfium2", pdfium),
        "pypdf": ("pypdf", pypdf),
        "kreuzberg": ("kreuzberg", kreuzberg("application/pdf")),
        "markitdown": ("markitdown", markitdown(".pdf")),
    },
    "page of 60 links and 900 words": {
        "likewise over selectolax": ("selectolax", ours(".html")),
        "trafilatura": ("trafilatura", trafilatura),
        "kreuzberg": ("kreuzberg", kreuzberg("text/html")),
        "markitdown": ("markitdown", markitdown(".html")),
    },
    "page of one sentence": {
        "likewise over selectolax": ("selectolax", ours(".html")),
        "trafilatura": ("trafilatura", trafilatura),
        "kreuzberg": ("kreuzberg", kreuzberg("text/html")),
        "markitdown": ("markitdown", markitdown(".html")),
    },
    ".docx of 5,500 words": {
        "likewise": ("", ours(".docx")),
        "kreuzberg": ("kreuzberg", kreuzberg(DOCX)),
        "markitdown": ("markitdown", markitdown(".docx")),
    },
}


def samples(work: str) -> list[tuple[bytes, str, str]]:
    """Files, the text that should come out, and text that should not."""
    chosen = texts(10, FILES)
    if work.startswith("PDF"):
        return [(make_pdf(some, 10), some[0].text[:2000], "") for some in chosen]
    found = []
    for some in chosen:
        words = " ".join(one.text for one in some).split()
        if work.startswith("page of one"):
            page, wanted = f"<p>{' '.join(words[:12])}</p>", " ".join(words[:12])
            found.append((f"<html><body>{page}</body></html>".encode(), wanted, ""))
        elif work.startswith("page"):
            wanted = " ".join(words[:900])
            body = "".join(
                f"<p>{_escaped(' '.join(words[n : n + 90]))}</p>" for n in range(0, 900, 90)
            )
            page = f"<nav><ul>{MENU}</ul></nav><div><ul>{MENU}</ul></div><article>{body}</article>"
            found.append(
                (f"<html><body>{page}</body></html>".encode(), wanted, "Section of number")
            )
        else:
            parts = [" ".join(words[n : n + 110]) for n in range(0, min(5500, len(words)), 110)]
            found.append((papers.docx(parts, title="A title"), " ".join(parts), ""))
    return found


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def row(work: str, name: str, package: str, read: Callable[[bytes], str]) -> str | None:
    files = samples(work)
    try:
        read(files[0][0])
    except ImportError:
        return None
    seconds, kept, unwanted = [], [], 0
    for data, wanted, not_wanted in files:
        start = time.process_time()
        text = read(data)
        seconds.append(time.process_time() - start)
        expected = set(WORD.findall(wanted.encode("latin-1", "replace").decode("latin-1")))
        kept.append(len(expected & set(WORD.findall(text))) / len(expected))
        unwanted += bool(not_wanted) and not_wanted in text
    cells = (
        name, _about(package), f"{1000 * statistics.median(seconds):.1f} ms",
        f"{100 * statistics.mean(kept):.0f} %", "yes" if unwanted else "no",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _about(package: str) -> str:
    """Version, licence, and the size of it with all that it needs."""
    if not package:
        return "no library"
    said = distribution(package).metadata
    licence = said.get("License-Expression") or said.get("License") or "see its files"
    listed = [one for one in said.get_all("Classifier") or [] if "License ::" in one]
    licence = licence if len(licence) < 60 else listed[0].rpartition(":: ")[2] if listed else "?"
    size = sum(map(_size, _needed(package, set())))
    return f"{package} {said['Version']}, {licence}, {size / 1e6:.0f} MB"


def _needed(package: str, seen: set[str]) -> set[str]:
    name = re.split(r"[\s\[<>=!~;(]", package, maxsplit=1)[0].lower()
    if name in seen:
        return seen
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return seen
    seen.add(name)
    for line in lines:
        if "extra ==" not in line:
            _needed(line, seen)
    return seen


def _size(package: str) -> int:
    paths = (Path(str(file.locate())) for file in distribution(package).files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


def main() -> None:
    for work, readers in WORK.items():
        print(f"\n**{work}**\n\n| reader | library | time | words kept | navigation in it |")
        print("|---|---|---|---|---|")
        for name, (package, read) in readers.items():
            if line := row(work, name, package, read):
                print(line, flush=True)


if __name__ == "__main__":
    main()
