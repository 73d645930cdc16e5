"""Born-digital PDFs like papers, made of the abstracts that come with likewise: a title in large
type, two columns' worth of justified text a page, a running head and page numbers.

`python benchmarks/make_pdfs.py FOLDER [NUMBER] [PAGES]`
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from likewise import Document
from likewise.datasets import arxiv_sample
from likewise.readers import read

WORDS = 550  # a page
DIFFERENT = 50  # files: making one takes longer than reading it


def make_pdfs(folder: Path, number: int = 1000, pages: int = 10) -> None:
    """So many files, DIFFERENT of them each of its own; the same ones each time."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [make_pdf(some, pages) for some in texts(pages, min(number, DIFFERENT))]
    for i in range(number):
        (folder / f"paper-{i:04}.pdf").write_bytes(made[i % len(made)])


def texts(pages: int, number: int) -> list[list[Document]]:
    """Abstracts for so many papers."""
    documents = [
        Document.from_record(batch.record(i), id)
        for batch in read(arxiv_sample())
        for i, id in enumerate(batch.ids)
    ]
    choose = random.Random(0)
    return [choose.sample(documents, 4 * pages) for _ in range(number)]


def make_pdf(some: list[Document], pages: int) -> bytes:
    from fpdf import FPDF

    class Paper(FPDF):  # type: ignore[misc]
        def header(self) -> None:
            self.set_font("times", style="I", size=8)
            self.cell(w=0, h=6, text=f"Journal of Made Papers 7 (2020) {self.page_no()}")
            self.ln(8)

        def footer(self) -> None:
            self.set_y(-12)
            self.set_font("times", size=8)
            self.cell(w=0, h=6, text=f"Page {self.page_no()}", align="C")

    paper: Any = Paper(format="A4")
    words = " ".join(_latin(one.text) for one in some).split()
    for page in range(pages):
        paper.add_page()
        if not page:
            paper.set_font("times", style="B", size=18)
            paper.multi_cell(w=0, h=8, text=_latin(some[0].title), new_x="LMARGIN", new_y="NEXT")
        paper.set_font("times", size=10)
        part = words[page * WORDS : (page + 1) * WORDS]
        for start in range(0, len(part), 110):
            text = " ".join(part[start : start + 110])
            paper.multi_cell(w=0, h=4.5, text=text, align="J", new_x="LMARGIN", new_y="NEXT")
    return bytes(paper.output())


def _latin(text: str) -> str:
    return text.encode("latin-1", "replace").decode("latin-1")


if __name__ == "__main__":
    make_pdfs(Path(sys.argv[1]), *map(int, sys.argv[2:]))
