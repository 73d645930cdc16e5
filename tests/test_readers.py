"""The one door: folders, files, standard input, documents from a program."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.reading import SHARED, lines, read_all
from likewise import Index
from likewise.document import Document
from likewise.errors import InputError, UsageError
from likewise.readers import Batch, Problems, ReadOptions, SparseBatch, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "papers"
    (root / "b").mkdir(parents=True)
    (root / ".hidden").mkdir()
    (root / "c.txt").write_text("gamma")
    (root / "a.md").write_text("# Alpha\nbody\n")
    (root / "b" / "z.txt").write_text("")
    (root / "b" / "more.jsonl").write_text('{"id": "m1", "text": "one"}\n')
    (root / ".hidden" / "x.txt").write_text("hidden")
    (root / ".dot.txt").write_text("hidden")
    (root / "figure.PNG").write_bytes(b"\x89PNG")
    (root / "Makefile").write_text("all:")
    return root


def test_a_folder_is_read_in_order_of_names(folder: Path) -> None:
    problems = Problems()
    documents = read_all(folder, problems)
    assert [document.id for document in documents] == ["a.md", "m1", "b/z.txt", "c.txt"]
    assert documents[0].texts == ("Alpha", "body\n")
    assert documents[0].values["source"] == (folder / "a.md").as_posix()
    assert documents[1].place == f"{folder.as_posix()}/b/more.jsonl, line 1"
    assert documents[2].texts == ("", "")
    assert documents[3].place == f"{folder.as_posix()}/c.txt"
    assert problems.count == 0
    assert problems.unknown == {".png": 1, "": 1}


def test_reading_twice_gives_the_same_bytes(folder: Path) -> None:
    once, again = (
        [(b.ids, b.texts, b.records) for b in read(folder) if isinstance(b, Batch)]
        for _ in range(2)
    )
    assert once == again


def test_a_file_named_directly_has_its_path_as_id(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(folder)
    assert [d.id for d in read_all(["./c.txt", Path("b/z.txt")])] == ["c.txt", "b/z.txt"]


def test_small_files_share_a_batch(folder: Path) -> None:
    assert len(list(read(folder))) == 1
    assert len(list(read(folder, ReadOptions(batch_bytes=1)))) == 4


def test_what_cannot_be_read_in_a_folder_is_a_problem(folder: Path) -> None:
    (folder / "b" / "gone.txt").symlink_to(folder / "nowhere")
    (folder / "broken.jsonl.gz").write_bytes(b"not gzip")
    (folder / "broken.npy").write_bytes(b"not an array")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "loop").symlink_to(folder)
    problems = Problems()
    ids = [document.id for document in read_all(folder, problems)]
    assert ids == ["a.md", "m1", "b/z.txt", "c.txt"]
    found = sorted(line.removeprefix(f"{folder.as_posix()}/") for line in lines(problems))
    assert found[0] == "b/gone.txt: cannot be read: No such file or directory"
    assert found[1].startswith("broken.jsonl.gz: is damaged or cut short: Not a gzipped file")
    assert found[2] == "broken.npy: is not an array as NumPy saves it"
    assert found[3].startswith("table.csv: none of the columns 'a', 'b' is named like a text")
    assert len(found) == problems.count == 4


def test_strict_stops_at_the_first_problem(folder: Path) -> None:
    (folder / "broken.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(InputError, match=r"broken.jsonl.gz is damaged or cut short"):
        read_all(folder, Problems(strict=True))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_problem(folder: Path) -> None:
    (folder / "c.txt").chmod(0)
    problems = Problems()
    assert len(read_all(folder, problems)) == 3
    assert lines(problems) == [f"{folder.as_posix()}/c.txt: cannot be read: Permission denied"]


def test_a_missing_path_is_an_error_before_anything_is_read(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file or folder .*nowhere"):
        read([folder, folder / "nowhere"])


def test_an_unknown_suffix_is_an_error_that_names_the_known_ones(folder: Path) -> None:
    with pytest.raises(InputError, match=r"Makefile: .* known are \.txt, .*\.gz"):
        read(folder / "Makefile")
    assert read_all(folder / "Makefile", format="text")[0].texts == ("", "all:")


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    assert read_all(tmp_path) == []


def test_file_names_may_be_any_bytes(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_text("word")
    assert [document.id for document in read_all(tmp_path)] == ["\ufffd.txt"]


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b'\n \n{"id": "a", "text": "x"}\n', ("", "x")),
        (b"plain {words}\n", ("", "plain {words}\n")),
    ],
)
def test_standard_input_is_jsonl_or_one_text(data: bytes, texts: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    [document] = read_all("-")
    assert document.texts == texts


@pytest.mark.parametrize("format", [None, "text", "markdown", "jsonl"])
@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_blank_standard_input_is_no_document(
    data: bytes, format: str | None, monkeypatch: Any
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_all("-", format=format) == []


def test_standard_input_in_a_named_format(monkeypatch: Any) -> None:
    table = io.TextIOWrapper(io.BytesIO(b"id,text\n7,seven\n"))
    monkeypatch.setattr("sys.stdin", table)
    [document] = read_all("-", format="csv")
    assert (document.id, document.place) == ("7", "standard input, line 2")
    assert not table.closed


def test_a_pipe_is_looked_at_like_standard_input(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = b"\n" * 70_000 + b'{"id": 1, "text": "x"}\n' * 10_000
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    documents = read_all(pipe)
    writer.join()
    assert len(documents) == 10_000
    assert documents[0].place.endswith("pipe, line 70001")


def test_documents_and_dictionaries() -> None:
    given = [
        Document("a", "text a", "title a", year=1999),
        {"id": 0, "contents": "text b"},
        {"title": "only a title"},
    ]
    documents = read_all(iter(given))
    assert [d.texts for d in documents] == [
        ("title a", "text a"),
        ("", "text b"),
        ("only a title", ""),
    ]
    assert [d.id for d in documents][:2] == ["a", "0"]
    assert documents[2].id == Document(None, "", "only a title").id
    assert documents[0].values["year"] == 1999
    assert documents[1].place == "documents given, number 2"


def test_one_document_and_none() -> None:
    assert [d.id for d in read_all(Document("a", "x"))] == ["a"]
    assert [d.id for d in read_all({"id": "a", "text": "x"})] == ["a"]
    assert read_all([]) == []


def test_documents_that_json_cannot_hold_are_problems() -> None:
    problems = Problems()
    given = [Document("a", "x", f=object()), Document("b", "\ud800"), Document("c", "good")]
    documents = read_all(given, problems)
    assert [d.id for d in documents] == ["b", "c"]
    assert [problem.place for problem in problems.listed] == ["documents given, number 1"]
    assert documents[0].texts == ("", "\ufffd")  # as in a file
    assert problems.replaced == {"documents given": 1}


def test_what_is_no_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"number 2 of the documents given is a int"):
        read_all([Document("a", "x"), 3])
    with pytest.raises(UsageError, match=r"cannot read a int"):
        read_all(3)
    with pytest.raises(UsageError, match=r"do not mix"):
        read_all([tmp_path, Document("a", "x")])


def test_options_that_make_no_sense_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown format 'doc'"):
        read(folder, ReadOptions(format="doc"))
    with pytest.raises(UsageError, match=r"--text-column \(in Python, text_column\): none of"):
        read(folder / "c.txt", ReadOptions(text_column="abstract"))
    with pytest.raises(UsageError, match=r"one file of vectors, and 0 were given"):
        read(folder, ReadOptions(ids_file=folder / "c.txt"))
    with pytest.raises(InputError, match=r"there is no file"):
        read(folder, ReadOptions(ids_file=folder / "none.txt"))
    with pytest.raises(UsageError, match=r"not for documents"):
        read([Document("a", "x")], ReadOptions(format="csv"))
    with pytest.raises(UsageError, match=r"different names"):
        ReadOptions(fields=())
    with pytest.raises(UsageError, match=r"different columns"):
        ReadOptions(text_column="a", title_column="a")
    with pytest.raises(UsageError, match=r"batch_bytes"):
        ReadOptions(batch_bytes=0)


def test_progress_counts_bytes_on_disk(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    for _ in read(folder, progress=lambda done, total: seen.append((done, total))):
        pass
    total = sum(path.stat().st_size for path in folder.rglob("*.*") if path.name[0] in "acmz")
    assert {whole for _, whole in seen} == {total}
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)


def test_problems_are_counted_beyond_those_listed() -> None:
    problems = Problems(limit=2)
    for number in range(5):
        problems.report(f"line {number}", "bad")
    assert (problems.count, lines(problems)) == (5, ["line 0: bad", "line 1: bad"])


def test_texts_and_vectors_in_one_folder_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.svm").write_text("1 1:2\n")
    (tmp_path / "c.txt").write_text("y")
    assert [type(batch) for batch in read(tmp_path)] == [Batch, SparseBatch, Batch]


def test_the_ids_file_is_not_a_document(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(2))
    (tmp_path / "v.txt").write_text("one\ntwo\n")
    assert [d.id for d in read_all(tmp_path, ids_file=tmp_path / "v.txt")] == ["one", "two"]


def test_twenty_newsgroups() -> None:
    path = SHARED / "qbme" / "news20" / "20news-bydate.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared data are not here")
    batches = list(read(path))
    assert sum(map(len, batches)) == 18_846
    assert sum(len(set(batch.ids)) for batch in batches) == 18_846


def test_review_records_have_their_abstracts_as_text() -> None:
    path = SHARED / "review" / "wallace_copd" / "records.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared data are not here")
    documents = read_all(path)
    assert all(document.texts[1] == document.values["abstract"] for document in documents)


def test_an_index_beside_the_documents_is_none_of_them(tmp_path):
    (tmp_path / "a.txt").write_text("some words")
    index = Index.create(tmp_path / "beside.idx")
    for _ in range(2):
        added = index.add(tmp_path, on_duplicate="replace")
        assert index.ids() == ["a.txt"]
        assert not added.problems
        assert not added.unknown
