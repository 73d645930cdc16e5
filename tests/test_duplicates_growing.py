"""Duplicates of a growing index: as if all were compared, for the price of what is new."""

from __future__ import annotations

import random

import pytest

from likewise import Index
from likewise.duplicates import find, sketch
from likewise.duplicates.candidates import WINDOW
from likewise.duplicates.find import LARGE, compute, find_duplicates
from likewise.errors import StoreError

WORDS = [f"word{number}" for number in range(40)]


def papers(draw, count, name):
    """Records of few papers, so that buckets are larger than what is compared in each."""
    made = []
    for number in range(count):
        paper = draw.randrange(6)
        own = random.Random(paper)
        title, text = (" ".join(own.sample(WORDS, n)) for n in (7, 30))
        if draw.random() < 0.3:
            title = title.replace("word", "wrod", 1)
        record = {"id": f"{name}-{number}", "title": title, "abstract": f"{text} {text[::-1]}"}
        if draw.random() < 0.5:
            record["pmid"] = str(100 + 10 * paper + draw.randrange(3))
        if draw.random() < 0.5:
            record["year"] = 2000 + draw.randrange(4)
        made.append(record)
    return made


def same(index):
    snapshot = index._snapshot
    found, whole = find_duplicates(snapshot), compute(snapshot)
    assert found.groups == whole.groups
    assert found.documents == whole.documents == len(index)
    for threshold in (0.5, 0.95, 1.0):
        assert find_duplicates(snapshot, threshold).groups == compute(snapshot, threshold).groups


@pytest.fixture(params=["in memory", "on disk"])
def path(request, tmp_path, monkeypatch):
    if request.param == "on disk":  # everything is written at once, and read by who comes next
        monkeypatch.setattr(find, "LARGE", 1)
        monkeypatch.setattr(find, "UNSAVED", 1)
        monkeypatch.setattr(sketch, "FEWEST", 5)
    return tmp_path / "d.idx"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_to_the_index(path, seed):
    draw = random.Random(seed)
    index = Index.create(path, latent=0)
    index.add(papers(draw, 4 * WINDOW, "first"))
    seen = set()
    for step in range(12):
        ids = index.ids()
        kind = draw.choice(("one", "some", "delete", "replace", "merge"))
        if kind in ("one", "some"):
            index.add(papers(draw, 1 if kind == "one" else 9, f"s{step}"))
        elif kind == "delete":
            index.delete(draw.sample(ids, min(5, len(ids))))
        elif kind == "replace":
            (new,) = papers(draw, 1, "x")
            index.add([{**new, "id": draw.choice(ids)}], on_duplicate="replace")
        else:
            index.merge(small=draw.random() < 0.5)
        same(index)
        if draw.random() < 0.3:
            index = Index.open(path)
        seen.add(find_duplicates(index._snapshot).groups)
    assert len(seen) > 4


def test_a_state_goes_back_as_well(path):
    index = Index.create(path, latent=0)
    draw = random.Random(1)
    index.add(papers(draw, 20, "a"))
    earlier = index.frozen()
    index.add(papers(draw, 5, "b"))
    index.delete("a-3")
    for one in (index, earlier, index):
        same(one)


def damage(index):
    """Damage the middle of the records of the first segment."""
    segment = index._snapshot.segments[0]
    with segment.path.open("r+b") as file:
        file.seek(segment.path.stat().st_size // 8)
        file.write(b"\0" * 64)


@pytest.mark.parametrize("another_process", [False, True])
def test_one_more_document_reads_no_others(tmp_path, another_process):
    """Damaged records are found by whoever reads them."""
    index = Index.create(tmp_path / "d.idx", latent=0)
    words = random.Random(1)
    index.add(
        {"id": f"{n}", "title": f"paper {n}", "text": " ".join(words.choices(WORDS, k=60))}
        for n in range(LARGE)
    )
    draw = random.Random(2)
    index.add(papers(draw, 2, "last"))
    index.duplicates()
    damage(index)
    if another_process:
        find._known.clear()
        index = Index.open(tmp_path / "d.idx")
    (copy,) = papers(random.Random(2), 1, "copy")
    index.add([copy])
    found = index.duplicates()
    assert {"last-0", "copy-0"} <= set(found.groups[0].ids)
    assert found.candidates < 10
    with pytest.raises(StoreError, match="damaged"):
        compute(index._snapshot)


def test_what_is_kept_may_be_damaged_or_gone(path):
    index = Index.create(path, latent=0)
    index.add(papers(random.Random(3), 30, "a"))
    expected = index.duplicates().groups
    for file in [file for file in path.rglob("*") if file.suffix in (".cache", ".keys")]:
        content = file.read_bytes()
        for changed in (content[: len(content) // 2], content[:-9] + b"#" * 9, b""):
            file.write_bytes(changed)
            find._known.clear()
            assert Index.open(path).duplicates().groups == expected
        file.unlink()
        find._known.clear()
        assert Index.open(path).duplicates().groups == expected


def test_keys_of_segments_that_are_gone_are_removed(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    index.add({"id": f"{n}", "text": f"w{n}"} for n in range(LARGE))
    index.duplicates()
    before = list((tmp_path / "d.idx" / "duplicates").iterdir())
    index.add({"id": f"b{n}", "text": f"v{n}"} for n in range(LARGE))
    index.merge()
    index.duplicates()
    after = list((tmp_path / "d.idx" / "duplicates").iterdir())
    assert len(before) == len(after) == 1
    assert before != after


def test_no_file_elsewhere_is_touched(path):
    """An index from somebody else may have a link there."""
    index = Index.create(path, latent=0)
    index.add(papers(random.Random(4), 20, "a"))
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    name = f"000009-{'0' * 16}.keys"
    (elsewhere / name).write_text("precious")
    (path / "duplicates").symlink_to(elsewhere)
    index.duplicates()
    assert [file.name for file in elsewhere.iterdir()] == [name]
