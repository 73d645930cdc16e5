"""A file's id is its path below its root, however the file or folder is named."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import refuse, run, succeed
from likewise import Index
from likewise.errors import DuplicateError, UsageError
from likewise.readers.roots import Known, Root, Roots


@pytest.fixture
def lib(tmp_path, monkeypatch):
    """A folder of notes and papers, seen from the folder around it."""
    monkeypatch.chdir(tmp_path)
    write("lib/a.txt", "lib/notes/b.txt", "lib/notes/c.md")
    return tmp_path / "lib"


def write(*paths, text="some words about robots"):
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(f"{text} {path}")


def ids(directory="x.idx"):
    return sorted(Index.open(directory).ids())


def test_a_folder_within_a_root_adds_no_copies(lib):
    succeed("index", "lib/", "-o", "x.idx")
    refuse(1, ".*already in the index.*", "add", "x.idx", "lib/notes")
    _, said = succeed("add", "x.idx", "lib/notes", "--on-duplicate", "replace")
    assert "2 of them replaced earlier ones" in said
    assert ids() == ["a.txt", "notes/b.txt", "notes/c.md"]


@pytest.mark.parametrize(
    "name",
    [
        "lib",
        "lib/",
        "./lib",
        "lib/../lib",
        "{}/lib",
        "link",
        "link/",
        "lib/notes/..",
        "link/notes/..",
    ],
)
def test_the_root_by_any_name(lib, name):
    Path("link").symlink_to("lib")
    index = Index.create("x.idx")
    index.add("lib")
    added = index.add(name.format(lib.parent), on_duplicate="skip")
    assert (added.documents, added.skipped) == (0, 3)
    assert list(index.roots) == ["lib"]


@pytest.mark.parametrize(
    "name",
    ["lib/notes/b.txt", "./lib/notes/../notes/b.txt", "{}/lib/notes/b.txt", "link/notes/b.txt"],
)
def test_one_file_of_a_root_by_any_name(lib, name):
    Path("link").symlink_to("lib")
    index = Index.create("x.idx")
    index.add("lib")
    assert index.add(name.format(lib.parent), on_duplicate="skip").skipped == 1


def test_from_another_working_directory(lib, monkeypatch):
    index = Index.create("x.idx")
    index.add("lib")
    monkeypatch.chdir(lib / "notes")
    assert index.add(["b.txt", Path("../a.txt"), "."], on_duplicate="skip").skipped == 4


def test_new_files_of_a_root_have_its_ids(lib):
    index = Index.create("x.idx")
    index.add("lib")
    write("lib/notes/new.txt")
    index.add("lib/notes/new.txt")
    assert "notes/new.txt" in index


def test_a_link_out_of_a_root_is_part_of_it(lib):
    write("elsewhere/e.txt")
    Path("lib/linked").symlink_to("../elsewhere")
    index = Index.create("x.idx")
    index.add("lib")
    assert "linked/e.txt" in index
    assert index.add("lib/linked", on_duplicate="skip").skipped == 1


def test_a_root_within_a_folder_that_is_added_later_keeps_its_ids(lib):
    index = Index.create("x.idx")
    index.add("lib/notes")
    added = index.add("lib", on_duplicate="skip")
    assert (added.documents, added.skipped) == (1, 2)
    assert ids() == ["a.txt", "b.txt", "c.md"]


def test_a_second_root_without_clashes_has_no_prefix(lib):
    write("more/d.txt")
    succeed("index", "lib", "-o", "x.idx")
    _, said = succeed("add", "x.idx", "more")
    assert said == "1 document added to x.idx\n"
    assert "d.txt" in ids()
    listed = json.loads(succeed("roots", "x.idx", "--json")[0])["roots"]
    assert [(root["name"], root["prefix"]) for root in listed] == [("lib", ""), ("more", "")]


def test_a_second_root_with_clashes_has_its_name_before_its_ids(lib):
    write("more/a.txt", "more/d.txt")
    succeed("index", "lib", "-o", "x.idx")
    _, said = succeed("add", "x.idx", "more")
    assert "more has files named as others in the index, such as a.txt" in said
    assert ids() == ["a.txt", "more/a.txt", "more/d.txt", "notes/b.txt", "notes/c.md"]
    added = Index.open("x.idx").add(["more", "more/d.txt"], on_duplicate="skip")
    assert (added.documents, added.skipped) == (0, 3)


def test_two_roots_at_once(lib):
    write("more/a.txt", "other/lib/a.txt")
    succeed("index", "lib", "more", "other/lib", "-o", "x.idx")
    assert {"a.txt", "more/a.txt", "lib-2/a.txt"} <= set(ids())


def test_a_clash_that_comes_later_replaces_nobody(lib):
    """A file of an earlier root keeps the plain id; the other one's begins with its root."""
    write("more/d.txt", text="of more")
    index = Index.create("x.idx")
    index.add(["lib", "more"])
    write("more/a.txt", text="of more")
    added = index.add("more", on_duplicate="replace")
    assert (added.documents, added.replaced) == (2, 1)
    assert index.document("a.txt").text.startswith("some words")
    assert index.document("more/a.txt").text.startswith("of more")


def test_a_root_that_moved(lib):
    succeed("index", "lib", "-o", "x.idx")
    Path("lib").rename("gone")
    write("gone/new.txt")
    Path("disk").mkdir()
    Path("gone").rename("disk/lib")
    refuse(
        2,
        ".*if it moved, say likewise roots x.idx --move lib --to .*",
        "add", "x.idx", "disk/lib", "--on-duplicate", "skip",
    )  # fmt: skip
    assert "(gone)" in succeed("roots", "x.idx")[0]
    succeed("roots", "x.idx", "--move", "lib", "--to", "disk/lib")
    _, said = succeed("add", "x.idx", "disk/lib", "--on-duplicate", "skip")
    assert "1 document added" in said
    assert ids() == ["a.txt", "new.txt", "notes/b.txt", "notes/c.md"]


def test_a_root_that_was_forgotten(lib):
    index = Index.create("x.idx")
    index.add("lib")
    index.roots.rename("lib", "papers")
    assert index.roots["papers"] == lib.resolve()
    index.roots.forget("papers")
    assert not index.roots
    assert len(index) == 3
    with pytest.raises(UsageError, match="it has none"):
        index.roots.forget("papers")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--move", "lib"], "--to goes with --move or --rename"),
        (["--to", "lib"], "--to goes with --move or --rename"),
        (["--move", "lib", "--forget", "lib"], "exclude each other"),
        (["--forget", "lib", "--json"], "--json goes with the list"),
        (["--forget", "nobody"], "no root 'nobody'"),
        (["--rename", "lib", "--to", "a/b"], "is no name for a root"),
        (["--rename", "lib", "--to", "more"], "has a root 'more' already"),
        (["--move", "lib", "--to", "nowhere"], "there is no folder nowhere"),
        (["--move", "lib", "--to", "more"], "is root 'more' already"),
    ],
)
def test_what_roots_refuses(lib, arguments, error):
    write("more/d.txt")
    succeed("index", "lib", "more", "-o", "x.idx")
    refuse(2, f".*{error}.*", "roots", "x.idx", *arguments)


class TestFilesGivenAlone:
    def test_have_their_path_as_their_id(self, lib):
        index = Index.create("x.idx")
        index.add(["lib/a.txt", "lib/notes/b.txt"])
        assert ids() == ["lib/a.txt", "lib/notes/b.txt"]

    @pytest.mark.parametrize("name", ["lib/a.txt", "./lib/a.txt", "{}/lib/a.txt", "link/a.txt"])
    def test_by_any_name(self, lib, name):
        Path("link").symlink_to("lib")
        index = Index.create("x.idx")
        index.add("lib/a.txt")
        assert index.add(name.format(lib.parent), on_duplicate="skip").skipped == 1

    def test_from_elsewhere(self, lib, monkeypatch):
        index = Index.create("x.idx")
        index.add("lib/a.txt")
        monkeypatch.chdir(lib / "notes")
        assert index.add("../a.txt", on_duplicate="skip").skipped == 1
        index.add("b.txt")
        assert "b.txt" in index
        monkeypatch.chdir("/")
        assert index.add(lib / "notes" / "b.txt", on_duplicate="skip").skipped == 1

    def test_keep_their_ids_when_their_folder_is_added(self, lib):
        index = Index.create("x.idx")
        index.add(["lib/a.txt", "lib/notes/b.txt"])
        added = index.add("lib", on_duplicate="skip")
        assert (added.documents, added.skipped) == (1, 2)
        assert ids() == ["lib/a.txt", "lib/notes/b.txt", "notes/c.md"]

    def test_records_leave_no_trace_of_the_working_directory(self, lib):
        Path("r.jsonl").write_text('{"id": "1", "text": "robots"}\n')
        index = Index.create("x.idx")
        index.add("r.jsonl")
        assert not index.roots


def test_records_say_nothing_of_this_machine(lib):
    index = Index.create("x.idx")
    index.add(lib)
    assert index.document("notes/b.txt").fields["source"] == "lib/notes/b.txt"
    assert str(lib.parent) not in str(index.documents(index.ids()))


def test_an_index_made_before_there_were_roots_goes_on(lib):
    """Nobody knows where its documents came from: a folder with their ids is theirs."""
    index = Index.create("x.idx")
    index.add([{"id": id, "text": "old"} for id in ("a.txt", "notes/b.txt")])
    assert index.add("lib", on_duplicate="replace").replaced == 2
    assert ids() == ["a.txt", "notes/b.txt", "notes/c.md"]


def test_the_same_ids_twice_are_still_an_error(lib):
    index = Index.create("x.idx")
    index.add("lib")
    with pytest.raises(DuplicateError):
        index.add("lib")


def test_nothing_is_kept_of_a_folder_without_documents(lib):
    Path("empty").mkdir()
    status, _, _ = run("index", "empty", "-o", "x.idx")
    assert status == 1
    assert not Path("x.idx").exists()


class FakeSource:
    def __init__(self, id):
        self.id, self.origin = id, ""


names = st.text("abXY. é", min_size=1, max_size=4).filter(lambda name: name.strip(". ") != "")
below = st.lists(names, min_size=1, max_size=4).map("/".join)


@given(st.lists(below, unique=True, min_size=1, max_size=6), st.sampled_from(["", "r/"]))
def test_ids_are_paths_below_the_root(tmp_path_factory, paths, prefix):
    folder = tmp_path_factory.getbasetemp()
    roots = Roots(
        "x", lambda: Known({"r": Root(os.path.realpath(folder), prefix)}, lambda _: set())
    )
    sources = [FakeSource(path) for path in paths]
    roots.place(folder, sources)
    assert [source.id for source in sources] == [f"{prefix}{path}" for path in paths]
    assert not roots.new


@given(st.lists(st.sampled_from(["a", "b c", "ü", "x.txt"]), min_size=1, max_size=5))
def test_separators_of_windows_are_slashes(parts):
    """How readers make an id of a path below a folder, on either system."""
    windows, posix = PureWindowsPath("C:\\lib"), PurePosixPath("/lib")
    made = {at.joinpath(*parts).relative_to(at).as_posix() for at in (windows, posix)}
    assert made == {"/".join(parts)}
