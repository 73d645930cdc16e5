"""At the edge of an Index: wrong arguments, another working directory, failures after a change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from likewise import Document, Index, StoreError, Unfinished, UsageError
from likewise.cli.app import app
from likewise.store import views as stored_views
from likewise.store.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

PAPERS = (
    Document("gas", "Cold atoms in a trap form a quantum gas.", year=2001),
    Document("robot", "A robot arm learns to grasp from examples.", year=2002),
    Document("atoms", "Atoms and molecules collide in the gas."),
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    made = Index.create(tmp_path / "papers.idx")
    made.add(PAPERS)
    return made


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda i: i.search(None), "words is None: give the words to search for as text"),
        (lambda i: i.search(["gas"]), r"words is \['gas'\]"),
        (lambda i: i.search("gas", k=2.0), "k is 2.0: it must be a whole number"),
        (lambda i: i.search("gas", k=True), "k is True"),
        (lambda i: i.search("gas", k=0), "k is 0: it must be 1 or more"),
        (lambda i: i.search("gas", skip=1.5), "skip is 1.5"),
        (lambda i: i.search("gas", skip=-1), "skip is -1"),
        (lambda i: i.search("gas", filter=7), "filter is 7: write it as text"),
        (lambda i: i.search("gas", weighting=7), "weighting 7"),
        (lambda i: i.like(None), "None is not an example"),
        (lambda i: i.like(7), "7 is not an example"),
        (lambda i: i.like(["gas"], k="3"), "k is '3'"),
        (lambda i: i.like(["gas"], method=None), "unknown method None"),
        (lambda i: i.like(["gas"], method="steady", C="1"), "C is '1': it must be a number"),
        (lambda i: i.learn(["gas"], unlike=7), "7 is not an example"),
        (lambda i: i.run(None), "None is no query"),
        (lambda i: i.run("gas"), "for words there is search"),
        (lambda i: i.run(i.learn(["gas"]), k=None), "k is None"),
        (lambda i: i.explain(7, "gas"), "7 is not an id: give text, such as '7'"),
        (lambda i: i.explain("gas", None), "None is no learned query"),
        (lambda i: i.document(7), "7 is not an id: give text, such as '7'"),
        (lambda i: i.document(None), "None is not an id"),
        (lambda i: i.documents("gas"), "'gas' is not a list of ids"),
        (lambda i: i.documents(7), "7 is not a list of ids"),
        (lambda i: i.documents(["gas", 7]), "7 is not an id"),
        (lambda i: i.delete(None), "None is not a list of ids"),
        (lambda i: i.delete([7]), "7 is not an id"),
        (lambda i: i.count(7), "filter is 7"),
        (lambda i: i.fields("x"), "most is 'x'"),
        (lambda i: i.learn_latent(2.5), "dimensions is 2.5"),
        (lambda i: i.add(None), "cannot read a NoneType"),
        (lambda i: i.add(b"raw"), "cannot read a bytes"),
        (lambda i: i.add(PAPERS, memory="1"), "memory is '1'"),
        (lambda i: i.add(PAPERS, text_column=7), "text_column is 7"),
        (lambda i: i.add("vectors.npy", ids_file=7), "ids_file is 7"),
        (lambda i: i.session(7), "name is 7: it must be text"),
        (lambda i: i.session(reviewer=7), "reviewer is 7"),
        (lambda i: i.rename_session(1, "b"), "name is 1"),
        (lambda i: Index.open(None), "path is None: it must be a path"),
        (lambda i: Index.open(i.path, threads=1.5), "threads is 1.5"),
        (lambda i: Index.create(i.path / "x", fields=7), "fields is 7"),
        (lambda i: Index.create(i.path / "x", fields=[7]), "a field is 7"),
        (lambda i: Index.create(i.path / "x", language=7), "language is 7"),
        (lambda i: Index.create(i.path / "x", latent=2.5), "latent is 2.5"),
    ],
)
def test_wrong_arguments_are_told_in_plain_words(
    index: Index, call: Callable[[Index], Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        call(index)
    assert len(index.refresh()) == 3


def test_numbers_of_numpy_will_do(index: Index) -> None:
    assert len(index.search("gas", k=np.int64(1), skip=np.int8(1))) == 1


def test_a_handle_keeps_working_after_chdir(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    made, opened = Index.create("papers.idx"), Index.open(Path("papers.idx"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    made.add(PAPERS)
    assert opened.refresh().search("robot")[0].id == "robot"
    made.delete("atoms")
    made.merge()
    made.session("mine", query="gas").judge("gas", "relevant")
    assert [listed.name for listed in opened.sessions()] == ["mine"]
    assert (tmp_path / "papers.idx.sessions.sqlite").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_database_keeps_its_place_after_chdir(
    index: Index, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    session = index.session("mine", query="gas", database="sqlite:///mine.db")
    monkeypatch.chdir(tmp_path / "elsewhere")
    session.judge("gas", "relevant")
    assert [one.name for one in index.sessions(tmp_path / "mine.db")] == ["mine"]
    assert not list((tmp_path / "elsewhere").iterdir())


def fail(*_: Any, **__: Any) -> Any:
    raise StoreError(
        "cannot write x: no space left; the index is as it was: mend this and run it again"
    )


def test_documents_are_in_whatever_becomes_of_the_latent_space(
    tmp_path: Path, monkeypatch: Any
) -> None:
    index = Index.create(tmp_path / "papers.idx", latent=2)
    monkeypatch.setattr(stored_views, "learn", fail)
    expected = (
        r"documents are in .* could not be learned \(cannot write x: no space left\): learn it"
    )
    with pytest.warns(Unfinished, match=expected):
        added = index.add(PAPERS)
    assert (added.documents, len(added.notes), len(index)) == (3, 1, 3)
    assert len(Index.open(index.path)) == 3


def test_an_interruption_after_the_commit_says_so(tmp_path: Path, monkeypatch: Any) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(stored_views, "learn", interrupt)
    (tmp_path / "a.txt").write_text("cold atoms")
    place = str(tmp_path / "papers.idx")
    done = CliRunner().invoke(app, ["index", str(tmp_path / "a.txt"), "-o", place, "--latent", "2"])
    assert done.exit_code == 130
    assert "interrupted; the documents are in the index" in done.stderr
    assert len(Index.open(place)) == 1


def test_the_command_tells_what_failed_after_adding(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(stored_views, "learn", fail)
    (tmp_path / "a.txt").write_text("cold atoms")
    place = str(tmp_path / "papers.idx")
    done = CliRunner().invoke(app, ["index", str(tmp_path / "a.txt"), "-o", place, "--latent", "2"])
    assert done.exit_code == 1
    assert "could not be learned" in done.stderr
    assert "the index is as it was" not in done.stderr
    assert len(Index.open(place)) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda i: i.add([Document("new", "x")]),
        lambda i: i.delete("gas"),
        lambda i: i.merge(),
        lambda i: i.drop_embeddings(),
        lambda i: i.views.drop_latent(),
    ],
)
def test_a_change_stands_though_it_cannot_be_opened(
    index: Index, monkeypatch: Any, change: Callable[[Index], Any]
) -> None:
    index.add([Document("more", "words")])
    before = index.generation
    with monkeypatch.context() as patched:
        patched.setattr(Snapshot, "open", fail)
        with pytest.warns(Unfinished, match="is changed, but cannot be opened") as warned:
            change(index)
    assert warned[0].filename == __file__  # not a line of the library
    assert index.generation == before
    assert index.refresh().generation == before + 1
