"""PDFs beside the records of a review: attached, matched, or indexed with them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers import papers
from likewise import Index, InputError, UsageError
from likewise.reviews import attachments, fulltexts

ENCRYPTED = Path(__file__).parent / "data" / "encrypted.pdf"
RECORDS = [
    {"id": "linked", "title": "A paper with a link", "files": ["internal-pdf://12/Scan 1.pdf"]},
    {"id": "by-doi", "title": "Another title than in print", "doi": "10.1234/ABC"},
    {"id": "by-title", "title": "The walking of penguins, considered", "text": "On ice."},
    {"id": "by-name", "title": "A scan that says nothing of itself", "doi": "10.5555/scan"},
    {"id": "alone", "title": "A record without a PDF at hand"},
    {"id": "out", "title": "A paper that was found irrelevant", "doi": "10.1234/out"},
]
ONE = papers.pdf(["The full text of a paper, which is short."])
FILES = {
    "Scan 1.pdf": papers.pdf(["The text that the first record links to."]),
    "b.pdf": papers.pdf(["Text of a paper with doi:10.1234/abc on its page."]),
    "deep/c.PDF": papers.pdf(
        ["Text of the paper about penguins who walk."], "The Walking of Penguins: Considered"
    ),
    "10.5555_scan.pdf": papers.pdf([""]),
    "d.pdf": papers.pdf(["A paper that nobody has a record of."]),
    "e.pdf": papers.pdf(["Text of a paper with doi:10.1234/out on its page."]),
    "page.pdf": b"<!doctype html><title>Please log in</title>",
    "empty.pdf": b"",
    "notes.txt": b"no PDF, and not called one",
}


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add(RECORDS)
    return index


@pytest.fixture
def session(index):
    session = index.session("s", reviewer="ann")
    found = [one["id"] for one in RECORDS if one["id"] != "out"]
    session.judge_all({**dict.fromkeys(found, "relevant"), "out": "not"})
    return index.session("s", reviewer="ann", stage="full text")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pdfs"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


class TestAttaching:
    def test_a_path_or_bytes(self, session, tmp_path):
        (tmp_path / "smith 2020.pdf").write_bytes(ONE)
        one = session.full_texts.attach("alone", tmp_path / "smith 2020.pdf")
        assert (one.document, one.name, one.size, one.by) == (
            *("alone", "smith 2020.pdf", len(ONE)),
            "ann",
        )
        two = session.as_reviewer("bob").full_texts.attach("alone", ONE + b"\n", name="two.pdf")
        assert session.full_texts.attached() == [one, two]
        assert session.full_texts.of(["alone", "out"]) == {"alone": [one, two], "out": []}
        assert session.full_texts.read(one) == session.full_texts.read(one.number) == ONE
        session.full_texts.detach(one.number)
        assert session.full_texts.attached() == [two]
        with pytest.raises(UsageError, match=f"there is no attachment {one.number}: it was rem"):
            session.full_texts.detach(one.number)
        with pytest.raises(UsageError, match="there is no attachment"):
            session.full_texts.read(one.number)

    def test_the_same_file_again_changes_nothing(self, session):
        one = session.full_texts.attach("alone", ONE)
        assert session.full_texts.attach("alone", ONE, name="other.pdf") == one
        assert session.full_texts.attach("by-doi", ONE) != one

    @pytest.mark.parametrize(
        ("content", "name", "says"),
        [
            (b"", "a.pdf", "a.pdf is empty: attach a PDF"),
            (FILES["page.pdf"], "a.pdf", "a.pdf is no PDF: attach a PDF"),
            (ONE, "a/b.pdf", "'a/b.pdf' is no name for a file"),
            (ONE, "a\n.pdf", "is no name for a file"),
        ],
    )
    def test_refusals(self, session, content, name, says):
        with pytest.raises(UsageError, match=says):
            session.full_texts.attach("alone", content, name=name)
        assert not session.full_texts.attached()

    def test_of_files(self, session, tmp_path, monkeypatch):
        with pytest.raises(InputError, match=r"there is no file .*none\.pdf"):
            session.full_texts.attach("alone", tmp_path / "none.pdf")
        with pytest.raises(InputError, match="there is no file"):
            session.full_texts.attach("alone", tmp_path)
        with pytest.raises(UsageError, match="no document 'x'"):
            session.full_texts.attach("x", ONE)
        for module in (attachments, fulltexts):
            monkeypatch.setattr(module, "LARGEST", 1 << 20)
        (tmp_path / "big.pdf").write_bytes(ONE + b" " * (5 << 20))
        with pytest.raises(UsageError, match=r"big\.pdf has 5 MB: it may have 1"):
            session.full_texts.attach("alone", tmp_path / "big.pdf")

    def test_an_encrypted_one_is_kept_for_who_has_its_password(self, session):
        one = session.full_texts.attach("alone", ENCRYPTED)
        assert session.full_texts.read(one) == ENCRYPTED.read_bytes()

    def test_it_is_in_the_trail_and_in_a_backup(self, index, session, tmp_path):
        session.full_texts.attach("alone", ONE, name="a.pdf")
        assert "attach" in [act.action for act in index.reviews.audit("s")]
        index.backup(tmp_path / "b.zip")
        again = Index.restore(tmp_path / "b.zip", tmp_path / "again.idx").find_session("s")
        assert [again.full_texts.read(one) for one in again.full_texts.attached()] == [ONE]


class TestMatching:
    def test_by_link_doi_title_and_name(self, session, folder):
        found = session.full_texts.attach_all(folder)
        assert {one.name: one.document for one in found.attached} == {
            "Scan 1.pdf": "linked",
            "b.pdf": "by-doi",
            "c.PDF": "by-title",
            "10.5555_scan.pdf": "by-name",
        }
        left = {Path(one.name).name: one.why for one in found.left}
        assert left == {
            "d.pdf": fulltexts.NO_RECORD,
            "e.pdf": fulltexts.NO_RECORD,  # it was found irrelevant
            "page.pdf": "is no PDF: attach a PDF",
            "empty.pdf": "is empty: attach a PDF",
        }
        assert session.full_texts.missing() == ["alone"]
        again = session.full_texts.attach_all([folder / "b.pdf", folder / "d.pdf"])
        assert [one.document for one in again.attached] == ["by-doi"]
        assert len(session.full_texts.attached()) == 4

    def test_what_cannot_be_read_goes_by_its_name(self, session, tmp_path):
        (tmp_path / "alone.pdf").write_bytes(ENCRYPTED.read_bytes())
        (tmp_path / "other.pdf").write_bytes(ENCRYPTED.read_bytes())
        found = session.full_texts.attach_all([tmp_path / "alone.pdf", tmp_path / "other.pdf"])
        assert [one.document for one in found.attached] == ["alone"]
        (left,) = found.left
        assert left.why == "is encrypted: save it without its password; no record has its name"

    def test_a_name_does_not_outweigh_what_the_pdf_says(self, session, tmp_path):
        (tmp_path / "10.5555_scan.pdf").write_bytes(FILES["e.pdf"])
        found = session.full_texts.attach_all(tmp_path / "10.5555_scan.pdf")
        assert not found.attached

    def test_a_title_in_the_name(self, session, tmp_path):
        name = "Smith - 2020 - The walking of penguins, considered.pdf"
        (tmp_path / name).write_bytes(FILES["10.5555_scan.pdf"])
        (one,) = session.full_texts.attach_all(tmp_path / name).attached
        assert one.document == "by-title"


class TestIndexed:
    @pytest.fixture
    def library(self, tmp_path):
        library = tmp_path / "library"
        (library / "pdf").mkdir(parents=True)
        ris = "TY  - JOUR\nID  - one\nTI  - A paper\nDO  - 10.1234/abc\nER  -\n"
        (library / "refs.ris").write_text(ris)
        (library / "pdf" / "b.pdf").write_bytes(FILES["b.pdf"])
        (library / "d.pdf").write_bytes(FILES["d.pdf"])
        return library

    @pytest.fixture
    def indexed(self, library, tmp_path):
        index = Index.create(tmp_path / "papers.idx", threads=1)
        index.add(library)
        return index.session("s", reviewer="ann")

    def test_they_are_found_where_they_lie(self, indexed, library):
        found = indexed.full_texts.of(["one", "d.pdf"])
        assert [one.path for (one,) in found.values()] == [library / "pdf/b.pdf", library / "d.pdf"]
        (one,) = found["one"]
        assert (one.name, one.number, one.size) == ("b.pdf", None, len(FILES["b.pdf"]))
        assert indexed.full_texts.read(one) == FILES["b.pdf"]
        assert indexed.full_texts.attach("one", FILES["b.pdf"]) == one
        assert not indexed.full_texts.attached()

    def test_as_long_as_they_are_there(self, indexed, library, tmp_path):
        shutil.move(library, tmp_path / "moved")
        assert indexed.full_texts.of(["one"]) == {"one": []}
        Index.open(tmp_path / "papers.idx").roots.move("library", tmp_path / "moved")
        session = Index.open(tmp_path / "papers.idx").session("s")
        assert len(session.full_texts.of(["one"])["one"]) == 1

    def test_never_outside_their_folder(self, tmp_path):
        (tmp_path / "secret.pdf").write_bytes(ONE)
        library = tmp_path / "library"
        library.mkdir()
        (library / "in.pdf").write_bytes(ONE)
        (library / "link.pdf").symlink_to(tmp_path / "secret.pdf")
        (library / "up").symlink_to(tmp_path)
        places = [
            "library/../secret.pdf",
            "library/link.pdf",
            "library/up/secret.pdf",
            f"library/{tmp_path}/secret.pdf",
            str(tmp_path / "secret.pdf"),
            "library/no.pdf",
            "library/none.pdf",
            "library/in.pdf\0.pdf",
            "library",
            7,
        ]
        index = Index.create(tmp_path / "papers.idx", threads=1)
        (tmp_path / "lone.pdf").write_bytes(ONE)
        index.add(tmp_path / "lone.pdf")  # a root of files given one by one: all of the disk
        index.add(library)
        (library / "no.pdf").write_bytes(b"<html>")
        index.add([{"id": f"r{i}", "title": "x", "file": at} for i, at in enumerate(places)])
        index.add([{"id": "good", "title": "x", "file": "library/in.pdf"}])
        session = index.session("s", group_duplicates=False)
        found = session.full_texts.of([f"r{i}" for i in range(len(places))] + ["good"])
        assert [id for id, there in found.items() if there] == ["good"]


def test_duplicates_share_their_pdfs(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    same = {"title": "The same paper in two databases", "doi": "10.1234/abc"}
    index.add([{"id": "a", **same}, {"id": "b", **same}, {"id": "c", "title": "Another one"}])
    session = index.session("s")
    one = session.full_texts.attach("b", ONE)
    assert session.full_texts.of(["a", "b", "c"]) == {"a": [one], "b": [one], "c": []}
    session.judge("a", "relevant")
    session.judge("c", "relevant")
    assert session.full_texts.missing() == ["c"]
