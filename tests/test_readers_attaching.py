"""PDFs beside their records: one document of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers import papers
from helpers.reading import read_all
from likewise import Index
from likewise.readers import Problems

if TYPE_CHECKING:
    from pathlib import Path

RIS = """TY  - JOUR
ID  - linked
TI  - A paper with a link
AB  - Its abstract
L1  - internal-pdf://123/Scan 1.pdf
ER  -
TY  - JOUR
ID  - by-doi
TI  - Another title than in print
DO  - 10.1234/ABC
ER  -
TY  - JOUR
ID  - by-title
TI  - The walking of penguins, considered
AB  - Another abstract
ER  -
TY  - JOUR
ID  - alone
TI  - A record without a PDF at hand
AB  - The last abstract
ER  -
"""
TITLE = "The Walking of Penguins: Considered"
TEXTS = {
    "pdf/Scan 1.pdf": (["The text that the first record links to."], ""),
    "pdf/b.pdf": (["Text of a paper with doi:10.1234/abc on its page."], ""),
    "pdf/c.pdf": (
        ["Text of the paper about penguins who walk."],
        "The Walking of Penguins: Considered",
    ),
    "pdf/d.pdf": (["A paper that nobody has a record of."], ""),
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    (folder / "pdf").mkdir(parents=True)
    (folder / "refs.ris").write_text(RIS)
    for name, (pages, title) in TEXTS.items():
        (folder / name).write_bytes(papers.pdf(pages, title))
    return folder


def test_by_link_doi_and_title(library: Path) -> None:
    problems = Problems()
    found = {one.id: one for one in read_all(library, problems)}
    assert list(found) == ["pdf/d.pdf", "linked", "by-doi", "by-title", "alone"]
    linked = found["linked"].values
    assert linked["text"] == "The text that the first record links to."
    assert linked["abstract"] == "Its abstract"
    assert linked["file"] == f"{library}/pdf/Scan 1.pdf"
    assert found["linked"].texts == ("A paper with a link", linked["text"])
    assert found["linked"].place == f"{library}/refs.ris, line 1"
    assert found["by-doi"].texts[1].startswith("Text of a paper with doi")
    assert "penguins who walk" in found["by-title"].texts[1]
    assert found["alone"].texts[1] == "The last abstract"
    assert "file" not in found["alone"].values
    assert problems.remarks() == ["3 PDFs attached to their records"]


def test_links_of_bibtex(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.pdf").write_bytes(
            papers.pdf([f"The text of the paper that lies in folder {folder}."])
        )
    (tmp_path / "refs.bib").write_text(
        "@article{one, title = {One paper},\n"
        "file = {Full Text:/home/me/y/same.pdf:application/pdf}}\n"
    )
    found = {one.id: one.values.get("text") for one in read_all(tmp_path)}
    assert found == {
        "one": "The text of the paper that lies in folder y.",
        "x/same.pdf": "The text of the paper that lies in folder x.",
    }


def test_a_second_pdf_of_a_record_is_a_document(library: Path) -> None:
    again = papers.pdf(["Supplement of the paper with doi:10.1234/abc here."])
    (library / "pdf" / "z.pdf").write_bytes(again)
    assert "pdf/z.pdf" in [one.id for one in read_all(library)]


def test_it_is_said(library: Path, tmp_path: Path) -> None:
    index = Index.create(tmp_path / "i.idx")
    added = index.add(library)
    assert added.remarks == ("3 PDFs attached to their records",)
    assert added.documents == 5
    assert index.search("penguins walk")[0].id == "by-title"
