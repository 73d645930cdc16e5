"""Papers, pages, slides, books, letters and notebooks: one document a file."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from helpers import papers
from helpers.reading import SAMPLES, lines, read_all
from likewise.errors import InputError
from likewise.readers import Problems

if TYPE_CHECKING:
    from pathlib import Path

ENCRYPTED = SAMPLES.parent / "encrypted.pdf"  # made by fpdf2; its password is "secret"
PROSE = "Penguins swim faster than they walk, and they walk for days. " * 3
MENU = "".join(f'<li><a href="/{n}">Department of number {n}</a></li>' for n in range(20))


def read_one(folder: Path, name: str, content: bytes):
    (folder / name).write_bytes(content)
    (document,) = read_all(folder / name)
    assert document.values["source"] == (folder / name).as_posix()
    return document.values


def test_a_pdf_has_title_authors_doi_and_text(tmp_path: Path) -> None:
    pages = [
        f"Running head {n}\n{word} are described.\nThe penguins of this conti-\nnent are birds "
        f"(see\nfigure {n}).\n{word} are shown in\nall {word} places.\nPage {n} of 5"
        for n, word in enumerate(["Nests", "Eggs", "Chicks", "Walks", "Swims"], 1)
    ]
    pages[0] = f"{pages[0]}\nAda Lovelace and C. Babbage, doi:10.1234/ab(c)12."
    said = {"Title": "paper-final.docx", "Author": "Ada Lovelace; C. Babbage; LaTeX"}
    found = read_one(tmp_path, "a.pdf", papers.pdf(pages, "On the walking of penguins", said))
    assert found["title"] == "On the walking of penguins"
    assert found["doi"] == "10.1234/ab(c)12"
    assert found["authors"] == ["Ada Lovelace", "C. Babbage"]
    assert found["page_count"] == 5
    assert "this continent are birds (see\nfigure 3)." in found["text"]
    assert "Running head" not in found["text"]
    assert "Page 3 of 5" not in found["text"]


def test_a_title_that_the_file_names_counts_if_the_first_page_has_it(tmp_path: Path) -> None:
    said = {"Title": "Penguins and their walks"}
    pages = [f"PENGUINS AND THEIR WALKS\n{PROSE[:60]}"]
    found = read_one(tmp_path, "a.pdf", papers.pdf(pages, "A journal of many birds", said))
    assert found["title"] == "Penguins and their walks"


TEXT = "\n".join([PROSE[:80]] * 6)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("24| Journal of Large Birds\n9| Vol. 3, 2019\n16| On the walking of penguins", "On the"),
        ("22| arXiv:1806.07419v1 [cs.RO] 19 Jun\n16| On the walking of penguins", "On the"),
        ("22| a r X i v : 1 8 0 6 . 0 7 v 1\n16| On the walking of penguins", "On the"),
        ("14| RESEARCH ARTICLE\n20| On the walking\n20| of penguins\n9| Ada Lovelace", "On the"),
        ("20| On the walking\n6| *\n20| of penguins\n30| W\n20| Contents of it", "On the"),
        ("20| Penguins\n14| Ada Lovelace (ada@example.org)", "Penguins"),
        ("9| ISSN 1234-5678\n12| Ada Lovelace", "Ada Lovelace"),
        ("10| Nothing is larger than the text", ""),
    ],
)
def test_the_title_is_what_may_be_one_in_the_largest_type(
    tmp_path: Path, page: str, title: str
) -> None:
    found = read_one(tmp_path, "a.pdf", papers.pdf([f"{page}\n{TEXT}"]))
    assert found.get("title", "") == ("On the walking of penguins" if title == "On the" else title)


@pytest.mark.parametrize(
    ("pages", "doi"),
    [
        ([f"{TEXT}\nhttps://doi.org/10.1371/journal.pone.0001"], "10.1371/journal.pone.0001"),
        ([f"A cover\n{TEXT}", f"(doi: 10.1/x).\n{TEXT}\n10.1234/ab(c)d."], "10.1234/ab(c)d"),
        ([f"{TEXT}\nData: 10.5281/zenodo.12\n10.1234/own"], "10.1234/own"),
        ([f"{TEXT}\nReferences\nRoe, R. 10.1234/other"], ""),
        ([f"{TEXT}\nREFERENCES", "Roe, R. 10.1234/other"], ""),
    ],
)
def test_the_doi_is_the_papers_own(tmp_path: Path, pages: list[str], doi: str) -> None:
    assert read_one(tmp_path, "a.pdf", papers.pdf(pages)).get("doi", "") == doi


def test_a_compressed_pdf(tmp_path: Path) -> None:
    data = papers.pdf([PROSE[:80]], compress=True)
    found = read_one(tmp_path, "a.pdf.gz", gzip.compress(data))
    assert found["text"].startswith("Penguins swim faster")
    assert "title" not in found


def test_what_is_no_readable_pdf_is_named(tmp_path: Path) -> None:
    (tmp_path / "a-scan.pdf").write_bytes(papers.pdf([""]))
    (tmp_path / "b-locked.pdf").write_bytes(ENCRYPTED.read_bytes())
    (tmp_path / "c-cut.pdf").write_bytes(papers.pdf([PROSE[:80]])[:90])
    (tmp_path / "d-other.pdf").write_bytes(b"<html>not a PDF</html>")
    (tmp_path / "e-good.pdf").write_bytes(papers.pdf([PROSE[:80]]))
    problems = Problems()
    assert [one.id for one in read_all(tmp_path, problems)] == ["e-good.pdf"]
    scan, locked, cut, other = lines(problems)
    assert scan.startswith(f"{tmp_path}/a-scan.pdf: has no text layer, as scans have none: ")
    assert locked == f"{tmp_path}/b-locked.pdf: is encrypted: save it without its password"
    assert cut.startswith(f"{tmp_path}/c-cut.pdf: is no PDF or damaged: ")
    assert other.startswith(f"{tmp_path}/d-other.pdf: is no PDF or damaged: ")
    with pytest.raises(InputError, match=r"a-scan.pdf has no text layer"):
        read_all(tmp_path / "a-scan.pdf", Problems())


def test_a_page_without_its_navigation(tmp_path: Path) -> None:
    page = f"""<!doctype html><html><head><title>On penguins | Journal of Birds</title>
    <meta name="citation_doi" content="doi:10.1234/x.5"><meta name="keywords" content="sea, ice">
    <meta name="citation_publication_date" content="2019/03/04">
    <link rel="canonical" href="https://example.org/penguins"></head><body>
    <nav><ul>{MENU}</ul></nav><div class="site-footer">Imprint</div><div>{MENU}</div>
    <h1>On   penguins</h1><p>{PROSE}</p><ul><li>They <a href="/f">fish</a> in cold water</li></ul>
    <script>track()</script><table><tr><td>a</td><td>b</td></tr></table>
    <p hidden>hidden</p><footer>Imprint</footer></body></html>"""
    found = read_one(tmp_path, "a.html", page.encode())
    assert found["title"] == "On penguins"
    assert (found["doi"], found["year"], found["keywords"]) == ("10.1234/x.5", 2019, ["sea", "ice"])
    assert found["url"] == "https://example.org/penguins"
    assert found["text"] == f"{PROSE.strip()}\nThey fish in cold water\na b"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Short.</p>", "Short."),
        ("Bare words", "Bare words"),
        ("<ul><li><a href=x>only a link</a></ul>", "only a link"),
        ("<main><p>Main</p></main><div>Menu</div>", "Main"),
        ("", None),
    ],
)
def test_a_short_page(tmp_path: Path, page: str, text: str | None) -> None:
    assert read_one(tmp_path, "a.htm", page.encode()).get("text") == text


@pytest.mark.parametrize(
    "page",
    [
        "<p>Größe</p>".encode(),
        '<meta charset="iso-8859-1"><p>Größe</p>'.encode("latin-1"),
        "<p>Größe</p>".encode("utf-16"),
    ],
)
def test_a_page_in_its_encoding(tmp_path: Path, page: bytes) -> None:
    assert read_one(tmp_path, "a.html", page)["text"] == "Größe"


def test_word(tmp_path: Path) -> None:
    data = papers.docx(["# A title", PROSE, "Ends < here"], author="Ada; Bo", notes="A footnote")
    found = read_one(tmp_path, "a.docx", data)
    assert found["title"] == "A title"
    assert found["text"] == f"{PROSE.strip()}\nEnds < here\nA footnote"
    assert found["keywords"] == ["one", "two"]
    assert found["authors"] == ["Ada", "Bo"]
    named = papers.docx(["Named", PROSE], title="Named")
    assert read_one(tmp_path, "b.docx", named)["text"] == PROSE.strip()
    first = read_one(tmp_path, "c.docx", papers.docx(["First line", PROSE]))
    assert (first["title"], first["text"]) == ("First line", PROSE.strip())


def test_open_document(tmp_path: Path) -> None:
    found = read_one(tmp_path, "a.odt", papers.odt(["One", "Two"], title="A title", author="Ada"))
    assert found["title"] == "A title"
    assert found["text"] == "One more\nTwo more"
    assert found["authors"] == ["Ada"]


def test_slides_in_their_order_with_notes(tmp_path: Path) -> None:
    data = papers.pptx([["A talk", "about birds"], ["They swim"]], notes="Say hello")
    found = read_one(tmp_path, "a.pptx", data)
    assert found["title"] == "A talk"
    assert found["text"] == "about birds\nSay hello\n\nThey swim"


def test_a_book(tmp_path: Path) -> None:
    data = papers.epub(["Call me <I>", "The end"], title="A whale", author="Melville, Herman")
    found = read_one(tmp_path, "a.epub", data)
    assert (found["title"], found["authors"]) == ("A whale", ["Melville, Herman"])
    assert (found["year"], found["type"]) == (2019, "book")
    assert found["text"] == "Call me <I>\n\nThe end"


def test_a_letter(tmp_path: Path) -> None:
    found = read_one(tmp_path, "a.eml", papers.LETTER)
    assert found["title"] == "The Engine’s notes"
    assert found["from"] == "Ada Lovelace <ada@example.org>"
    assert found["date"] == "1843-07-10T09:30:00+00:00"
    assert found["attachments"] == ["table.pdf"]
    assert found["text"].strip() == "The naïve machine weaves algebraic patterns."


def test_a_box_of_letters(tmp_path: Path) -> None:
    plain = b"Subject: Second\n\nFirst line\n>From here on\n"
    box = b"From ada Mon Jul 10 1843\n" + papers.LETTER + b"\nFrom bo Tue Jul 11 1843\n" + plain
    (tmp_path / "a.mbox").write_bytes(box)
    one, two = read_all(tmp_path / "a.mbox")
    assert (one.id, two.id) == ("note-g@example.org", f"{tmp_path}/a.mbox:2")
    assert two.values["text"] == "First line\nFrom here on\n"
    assert two.place == f"{tmp_path}/a.mbox, line {box[: box.index(plain)].count(10) + 1}"
    (tmp_path / "b.mbox").write_bytes(b"no letter\n")
    with pytest.raises(InputError, match=r"b.mbox is no mbox"):
        read_all(tmp_path / "b.mbox")


def test_a_notebook(tmp_path: Path) -> None:
    cells = [("markdown", "# Birds\nintro"), ("code", "print(1)"), ("raw", "")]
    found = read_one(tmp_path, "a.ipynb", papers.notebook(cells))
    assert (found["title"], found["text"]) == ("Birds", "intro\n\nprint(1)")
    (tmp_path / "b.ipynb").write_bytes(b"[]")
    with pytest.raises(InputError, match=r"b.ipynb is no notebook"):
        read_all(tmp_path / "b.ipynb")


@pytest.mark.parametrize("suffix", ["docx", "odt", "pptx", "epub"])
def test_office_files_that_are_none(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.{suffix}"
    for content, message in [
        (b"plain", "is no .* file or damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "is encrypted or of an older program"),
        (papers.zipped({"a.txt": "x"}), "is no .* file: it has no "),
    ]:
        file.write_bytes(content)
        with pytest.raises(InputError, match=rf"a.{suffix} {message}"):
            read_all(file)


def test_what_needs_a_library_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likewise.readers.formats import library
    from likewise.readers.streams import Source

    with pytest.raises(InputError, match=r"a.pdf: reading PDF needs not-there: pip install 'like"):
        library("not_there", Source("a.pdf", "a.pdf", None), "PDF")
