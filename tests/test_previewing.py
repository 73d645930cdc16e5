"""What is in files, before they are indexed: the same story as adding them tells afterwards."""

from __future__ import annotations

import pytest

from helpers.command_line import refuse, run, succeed
from helpers.uploading import ris
from likewise import Index
from likewise.previewing import preview

TWICE = ris(30) + ris(4).replace(b"ID  - r", b"ID  - again") + ris(2)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.ris").write_bytes(TWICE)
    (folder / "b.csv").write_text("title,abstract,included\nNoise,rats,1\nLight,rats,0\nx\n")
    (folder / "c.exe").write_bytes(b"MZ")
    return folder


@pytest.mark.filterwarnings("ignore::likewise.errors.LeftOut")
def test_it_says_what_adding_says(folder, tmp_path):
    seen = preview(folder)
    added = Index.create(tmp_path / "a.idx", threads=1).add(folder, on_duplicate="skip")
    assert seen.duplicates == added.duplicates == {"doi": 4, "id": 2}
    assert seen.documents == added.documents + added.skipped == 38
    assert seen.problems == added.problems
    assert seen.problem_count == added.problem_count == 1
    assert seen.unknown == added.unknown == {".exe": 1}
    assert seen.labels == added.labels == {"relevant": 1, "not": 1}


def test_formats_types_and_fields(folder):
    seen = preview(folder)
    assert seen.formats == {"ris": 36, "csv": 2}
    assert seen.types == {"article-journal": 36}
    fields = {field.name: field for field in seen.fields}
    assert (fields["title"].documents, fields["included"].documents) == (38, 2)
    assert fields["authors"].example == "Doe0, Jane"
    assert len(seen.titles) == 5


def test_what_an_index_has_is_a_duplicate(folder, tmp_path):
    index = Index.create(tmp_path / "a.idx", threads=1)
    index.add(ris_file(tmp_path, 10))
    assert preview(folder, index=index).duplicates == {"id": 12, "doi": 4}


def ris_file(folder, number):
    (folder / "some.ris").write_bytes(ris(number))
    return folder / "some.ris"


def test_similar_titles_are_counted_once(tmp_path):
    records = [
        {"title": "Sleep of rats in the light of the moon", "year": 2001, "authors": ["Doe, J"]},
        {"title": "Sleep of rats in the light of the moon.", "year": 2001, "authors": ["Doe, J"]},
        {"title": "SLEEP OF RATS IN THE LIGHT OF THE MOON", "year": 2002, "authors": ["Doe, J"]},
        {"title": "Noise and rats", "year": 2001, "authors": ["Poe, E"]},
    ]
    given = [{"id": str(n), "text": "x", **record} for n, record in enumerate(records)]
    assert preview(given).alike == 2


def test_of_documents_and_vectors():
    numpy = pytest.importorskip("numpy")
    assert preview([{"id": "a", "text": "x", "tags": ["y", "z"]}]).fields[-1].example == "y; z"
    assert preview(numpy.eye(3, dtype="f"), ids=["a", "b", "c"]).documents == 3


class TestOnTheCommandLine:
    def test_it_is_printed_and_nothing_is_made(self, folder):
        status, stdout, stderr = run("index", folder, "--preview")
        assert status == 1  # a line cannot be read
        assert "b.csv, line 4" in stderr
        assert "4 with the DOI of an earlier one, 2 with the id of an earlier one" in stdout
        assert "38  title: " in stdout
        assert sorted(path.name for path in folder.iterdir()) == ["a.ris", "b.csv", "c.exe"]

    def test_columns(self, tmp_path):
        (tmp_path / "a.csv").write_text("name,words\nSleep,rats\n")
        named = ("--title-column", "name", "--text-column", "words")
        shown, _ = succeed("index", tmp_path / "a.csv", "--preview", *named)
        assert "1  title: Sleep" in shown

    def test_otherwise_a_place_is_needed(self, folder):
        refuse(
            2, r"say where the index is to be with --output \(-o\), or --preview", "index", folder
        )


def test_a_preview_of_nothing_says_so(tmp_path):
    status, _, said = run("index", "--preview", tmp_path)
    assert (status, said) == (1, f"likewise: no documents found in {tmp_path}\n")
