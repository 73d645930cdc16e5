"""PDFs beside their records: one document of both."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers import papers
from helpers.reading import read_all
from likewise import Index
from likewise.errors import DuplicateError
from likewise.readers import Problems

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
    index = Index.create(tmp_path / "i.idx", threads=1)
    added = index.add(library)
    assert added.remarks == ("3 PDFs attached to their records",)
    assert added.documents == 5
    assert index.search("penguins walk")[0].id == "by-title"


RECORDS = ("linked", "by-doi", "by-title", "alone")
ATTACHED = "3 PDFs attached to their records"


def shown(index: Index) -> dict[str, str]:
    """What each document's text begins with."""
    return {id: index.document(id).text.split(" ")[0] for id in index.ids()}


COMPLETE = {"linked": "The", "by-doi": "Text", "by-title": "The", "alone": "The"}


class TestAcrossAdditions:
    """Records first and PDFs later, or the other way round: the same documents."""

    def test_pdfs_come_after_their_records(self, library: Path, tmp_path: Path) -> None:
        index = Index.create(tmp_path / "i.idx", threads=1)
        index.add(library / "refs.ris")
        added = index.add(library / "pdf")
        assert added.remarks == (ATTACHED,)
        assert (added.documents, added.replaced, added.problems) == (4, 3, ())
        assert shown(index) == {"d.pdf": "A", **COMPLETE}
        linked = index.document("linked")
        assert linked.fields["abstract"] == "Its abstract"
        assert linked.fields["file"] == "pdf/Scan 1.pdf"
        assert index.search("penguins walk")[0].id == "by-title"

    def test_records_come_after_their_pdfs(self, library: Path, tmp_path: Path) -> None:
        """What was there first keeps its id, which judgements may have."""
        index = Index.create(tmp_path / "i.idx", threads=1)
        index.add(library / "pdf")
        added = index.add(library / "refs.ris")
        assert added.remarks == (ATTACHED,)
        assert (added.documents, added.replaced) == (4, 3)
        assert shown(index) == {
            "d.pdf": "A", "alone": "The", "Scan 1.pdf": "The", "b.pdf": "Text", "c.pdf": "The",
        }  # fmt: skip
        found = index.document("c.pdf")
        assert found.title == "The walking of penguins, considered"
        assert found.fields["abstract"] == "Another abstract"
        assert found.fields["record"] == "by-title"
        assert found.fields["file"] == "pdf/c.pdf"

    @pytest.mark.parametrize("first", ["refs.ris", "pdf"])
    def test_again(self, library: Path, tmp_path: Path, first: str) -> None:
        """What is given again is a duplicate, and replacing one half keeps the other."""
        index = Index.create(tmp_path / "i.idx", threads=1)
        parts = [first, *({"refs.ris", "pdf"} - {first})]
        for part in parts:
            index.add(library / part)
        before = {id: index.document(id) for id in index.ids()}
        for part in parts:
            with pytest.raises(DuplicateError, match="already in the index"):
                index.add(library / part)
            assert index.add(library / part, on_duplicate="skip").skipped == 4
        (library / "refs.ris").write_text(RIS.replace("Its abstract", "Its mended abstract"))
        again = index.add(library / "refs.ris", on_duplicate="replace")
        assert (again.documents, again.replaced, again.remarks) == (4, 4, ())
        index.add(library / "pdf", on_duplicate="replace")
        after = {id: index.document(id) for id in index.ids()}
        assert after.keys() == before.keys()
        changed = [id for id in after if after[id] != before[id]]
        assert [after[id].fields["abstract"] for id in changed] == ["Its mended abstract"]

    def test_a_second_pdf_of_a_record(self, library: Path, tmp_path: Path) -> None:
        index = Index.create(tmp_path / "i.idx", threads=1)
        index.add(library)
        more = tmp_path / "more"
        more.mkdir()
        text = ["Supplement of the paper with doi:10.1234/abc here."]
        (more / "z.pdf").write_bytes(papers.pdf(text))
        assert index.add(more).documents == 1
        assert shown(index)["z.pdf"] == "Supplement"
        assert shown(index)["by-doi"] == "Text"

    def test_two_pdfs_of_a_record_at_once(self, library: Path, tmp_path: Path) -> None:
        index = Index.create(tmp_path / "i.idx", threads=1)
        index.add(library / "refs.ris")
        text = ["Supplement of the paper with doi:10.1234/abc here."]
        (library / "pdf" / "z.pdf").write_bytes(papers.pdf(text))
        assert index.add(library / "pdf").remarks == (ATTACHED,)
        assert shown(index) == {"d.pdf": "A", "z.pdf": "Supplement", **COMPLETE}

    def test_records_of_a_table(self, library: Path, tmp_path: Path) -> None:
        (library / "refs.ris").unlink()
        (library / "refs.csv").write_text("id,title,abstract,doi\nx,Other,Short,10.1234/abc\n")
        index = Index.create(tmp_path / "i.idx", threads=1)
        assert index.add(library).remarks == ("1 PDF attached to its record",)
        assert shown(index)["x"] == "Text"


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_in_an_archive(library: Path, tmp_path: Path, kind: str) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "library"), kind, library))
    index = Index.create(tmp_path / "i.idx", threads=1)
    added = index.add(archive)
    assert added.remarks == (ATTACHED,)
    assert set(index.ids()) == {*RECORDS, next(id for id in index.ids() if id.endswith("d.pdf"))}
    assert index.document("linked").fields["file"].endswith(f"library.{kind}!pdf/Scan 1.pdf")


def test_an_archive_of_pdfs_after_its_records(library: Path, tmp_path: Path) -> None:
    index = Index.create(tmp_path / "i.idx", threads=1)
    index.add(library / "refs.ris")
    archive = shutil.make_archive(str(tmp_path / "pdfs"), "zip", library / "pdf")
    assert index.add(archive).remarks == (ATTACHED,)
    assert set(RECORDS) < set(index.ids())
    assert len(index) == 5


def test_what_is_wrong_in_an_archive_is_said_once(library: Path, tmp_path: Path) -> None:
    (library / "pdf" / "bad.pdf").write_bytes(b"%PDF-1.4 and no more")
    (library / "x.svm").write_text("1 1:1\n")
    (library / "y.unknown").write_text("?")
    (library / "inner.zip").write_bytes(b"PK no archive")
    archive = shutil.make_archive(str(tmp_path / "a" / "all"), "zip", library)
    problems = Problems()
    assert len(list(read_all(Path(archive).parent, problems))) == 5
    named = sorted(problem.place.partition("!")[2] for problem in problems.listed)
    assert named == ["inner.zip", "pdf/bad.pdf", "x.svm"]
    assert problems.unknown == {".unknown": 1}
