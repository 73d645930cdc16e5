"""`likewise check`: every flipped bit is found, what is saved is right, what is lost is said."""

from __future__ import annotations

import json
import os
import random
import shutil

import numpy as np
import pytest

from helpers.command_line import run, succeed
from helpers.forging import Forged, make_text, make_values
from helpers.store_documents import all_bytes
from likewise import Index
from likewise.errors import StoreError, UsageError
from likewise.reviews.rescue import rescue
from likewise.store.checking import check
from likewise.store.container import HEADER
from likewise.store.saving import save

FLIPS = int(os.environ.get("LIKEWISE_FLIPS", "1"))  # bits of each part that are tried
SAVES = 1 if FLIPS > 1 else 6  # of so many flips one is saved from


def make_counts(path):
    rows = "".join(f"1 {i % 5 + 1}:2 {i % 7 + 9}:300\n" for i in range(20))
    path.with_suffix(".svm").write_text(rows)
    Index.create(path, threads=1).add(path.with_suffix(".svm"))


def make_large(path):
    """Enough for a dictionary, and ids that are in no record."""
    lines = (json.dumps({"text": f"red figs {i * i} {'and more ' * 9}"}) for i in range(12_000))
    path.with_suffix(".jsonl").write_text("\n".join(lines))
    Index.create(path, threads=1, latent=0).add(path.with_suffix(".jsonl"))


MAKERS = {
    "text": make_text,
    "values": lambda path: make_values(path, dense=False),
    "dense": lambda path: make_values(path, dense=True),
    "counts": make_counts,
    "large": make_large,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Whole indexes by name, each made once."""
    folder, known = tmp_path_factory.mktemp("made"), {}

    def get(name):
        if name not in known:
            MAKERS[name](folder / f"{name}.idx")
            known[name] = folder / f"{name}.idx"
        return known[name]

    return get


@pytest.fixture
def copied(made, tmp_path):
    def copy(name):
        shutil.copytree(made(name), tmp_path / "damaged.idx")
        return tmp_path / "damaged.idx"

    return copy


def records(path):
    """{id: record} of every live document."""
    index = Index.open(path, threads=1)
    snapshot = index.searcher.snapshot
    return dict(
        zip(index.ids(), (bytes(snapshot.record(i)) for i in range(len(index))), strict=True)
    )


def parts(path):
    """Where each part of a file is: header, sections, what lies between, table and trailer."""
    forged = Forged(path)
    found, end = {"header": range(HEADER.size)}, HEADER.size
    for section in forged.table["sections"]:
        found[f"before {section['name']}"] = range(end, section["offset"])
        end = section["offset"] + section["bytes"]
        found[section["name"]] = range(section["offset"], end)
    found["before the table"] = range(end, forged.offset)
    found["table"] = range(forged.offset, len(forged.data) - 32)
    found["trailer"] = range(len(forged.data) - 32, len(forged.data))
    return {name: places for name, places in found.items() if places}


def flip(path, place, bit):
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


def flips(index, rng, count=FLIPS):
    """Every part of every file, and some of its bits."""
    for path in sorted((index / "segments").iterdir()):
        for part, places in parts(path).items():
            for place in rng.sample(places, min(count, len(places))):
                yield path, part, place, rng.randrange(8)


@pytest.mark.parametrize("name", ["text", "values", "dense", "counts"])
def test_every_flipped_bit_is_found_and_nothing_wrong_is_saved(copied, tmp_path, name):
    index, rng = copied(name), random.Random(1)
    whole = records(index)
    assert check(index).sound
    for number, (path, part, place, bit) in enumerate(flips(index, rng)):
        content = path.read_bytes()
        flip(path, place, bit)
        where = f"{path.name} {part} {place} {bit}"
        report = check(index)
        assert not report.sound, where
        assert path.name in report.damages[0].file, where
        assert all("\n" not in str(damage) for damage in report.damages)
        if number % SAVES == 0:
            check_saved(index, tmp_path / "saved.idx", whole, where)
        path.write_bytes(content)
    assert check(index).sound


def check_saved(index, target, whole, where):
    """Each document that was saved is as it was, and the others are said to be lost."""
    saved = save(index, target)
    found = records(target)
    assert check(target).sound, where
    assert saved.documents == len(found)
    again = [note for note in saved.notes if "may be there again" in note]
    for id, record in found.items():
        if id in whole:
            assert record == whole[id], where
        else:
            assert again or (id in saved.renamed and record in whole.values()), where
    missing = whole.keys() - found.keys()
    assert missing == set(saved.lost_ids) or saved.lost or saved.renamed, where
    assert len(missing) == saved.lost + len(saved.renamed), where
    shutil.rmtree(target)
    return saved


def test_only_damaged_blocks_are_lost(copied, tmp_path):
    """Of text: vectors, fields and tables are made anew, ids are found by their hashes."""
    index, rng = copied("text"), random.Random(2)
    whole = records(index)
    segments = sorted((index / "segments").glob("*.seg"))
    for path, part, place, bit in flips(index, rng):
        if path != segments[0] or part == "records" or part.startswith("before"):
            continue
        content = path.read_bytes()
        flip(path, place, bit)
        saved = check_saved(index, tmp_path / "saved.idx", whole, f"{part} {place} {bit}")
        assert (saved.lost, saved.renamed) == (0, ()), (part, place, bit)
        path.write_bytes(content)
    flip(segments[0], parts(segments[0])["records"][30], 1)
    saved = check_saved(index, tmp_path / "saved.idx", whole, "records")
    assert saved.lost == len(saved.lost_ids) == 29  # its one block


def test_many_flips_of_a_large_index(copied, tmp_path):
    index, rng = copied("large"), random.Random(3)
    whole = records(index)
    (segment,) = (index / "segments").glob("*.seg")
    content = segment.read_bytes()
    places = parts(segment)
    assert "records.dictionary" in places
    for part, most in {
        "records.dictionary": 0,
        "records.spare": 0,
        "records.blocks": 0,
        "records.checksums": 0,
        "ids.text": 0,
        "table": 0,
        "trailer": 0,
        "header": 0,
        "records": 120,
    }.items():
        flip(segment, rng.choice(places[part]), rng.randrange(8))
        assert not check(index).sound
        saved = check_saved(index, tmp_path / "saved.idx", whole, part)
        assert saved.lost == len(saved.lost_ids) <= most, part
        assert len(saved.renamed) <= (1 if part == "ids.text" else 0), part
        assert bool(saved.lost) == bool(most)
        segment.write_bytes(content)
    for place in rng.sample(places["records"], 40):
        flip(segment, place, 3)
    report = check(index)
    (damage,) = report.damages
    assert 100 < damage.documents == len(damage.ids) < 40 * 120
    assert str(damage).startswith(f"segments/000001.seg: {damage.documents:,} of 12,000 documents")
    check_saved(index, tmp_path / "saved.idx", whole, "many")


def test_the_manifest_and_deletions(copied):
    index = copied("text")
    deletions = next((index / "segments").glob("*.del"))
    for path in (index / "manifest.json", deletions):
        content = path.read_bytes()
        for place in range(0, len(content), 3 if path == deletions else 37):
            flip(path, place, place % 8)
            assert not check(index).sound, (path, place)
            path.write_bytes(content)


def test_the_manifest_has_a_copy(copied, tmp_path):
    index = copied("text")
    whole, manifest = records(index), index / "manifest.json"
    for content in (b"", b"{}", manifest.read_bytes()[:-20], None):
        if content is None:
            manifest.unlink()
        else:
            manifest.write_bytes(content)
        damage = check(index).damages[0]
        assert damage.file == "manifest.json"
        assert "its copy, manifest.copy.json, is whole" in damage.meaning
        saved = check_saved(index, tmp_path / "saved.idx", whole, str(content))
        assert (saved.documents, saved.lost) == (38, 0)


def test_a_copy_that_is_damaged_elsewhere(copied, tmp_path):
    """The checksum tells which is right, where the two differ and where one bit is wrong."""
    index = copied("text")
    whole, manifest, copy = records(index), index / "manifest.json", index / "manifest.copy.json"
    content = manifest.read_bytes()
    there = len(content) // 2
    for damaged, other in (
        (content[:90] + b"####" + content[94:], content[:there] + b"####" + content[there + 4 :]),
        (content[:90] + bytes([content[90] ^ 4]) + content[91:], b"nothing"),
        (b"", content[:there] + bytes([content[there] ^ 1]) + content[there + 1 :]),
    ):
        manifest.write_bytes(damaged)
        copy.write_bytes(other)
        assert "its checksum tells what it was" in check(index).damages[0].meaning
        saved = check_saved(index, tmp_path / "saved.idx", whole, "both")
        assert (saved.documents, saved.lost) == (38, 0)


def lose_the_manifest(index):
    for name in ("manifest.json", "manifest.copy.json"):
        (index / name).write_bytes(b"nothing")


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_lost_manifest_is_made_anew(copied, tmp_path, name):
    index = copied(name)
    whole, before = records(index), Index.open(index)
    lose_the_manifest(index)
    assert "what the segments tell" in check(index).damages[0].meaning
    saved = save(index, tmp_path / "saved.idx", identity=before.manifest.identity)
    after = Index.open(tmp_path / "saved.idx")
    assert records(tmp_path / "saved.idx") == whole
    assert saved.lost == 0
    assert (after.manifest.kind, after.manifest.identity) == (
        before.manifest.kind,
        before.manifest.identity,
    )
    if before.manifest.kind == "text":
        assert after.manifest.settings == before.manifest.settings
    assert "latent" not in before.manifest.views or "latent" in after.manifest.views
    lost = "embeddings" in before.manifest.views
    assert any("embeddings are lost" in note for note in saved.notes) == lost


@pytest.mark.parametrize(
    "settings",
    [
        {"language": "german", "stop_words": False},
        {"language": "none", "bigrams": True},
        {"fields": ("keywords", "title")},
    ],
)
def test_settings_are_found_by_trying(tmp_path, settings):
    index = Index.create(tmp_path / "a.idx", latent=0, **settings)
    text = "Die Häuser und die Gärten der Städte wurden nicht mit den Bäumen gesehen"
    index.add(
        {"id": f"{n}", "title": f"The houses of {n} gardens", "text": text, "keywords": f"red k{n}"}
        for n in range(30)
    )
    lose_the_manifest(index.path)
    saved = save(index.path, tmp_path / "b.idx")
    found = Index.open(tmp_path / "b.idx").manifest.settings
    fields = settings.get("fields", ("title", "text"))
    assert set(found.pop("fields")) == set(fields)
    expected = {"language": "english", "stop_words": True, "bigrams": False} | settings
    if expected["language"] == "none":
        expected["stop_words"] = found["stop_words"]  # makes no difference
    assert found.items() >= {k: v for k, v in expected.items() if k != "fields"}.items()
    assert any("text is analysed with --language" in note for note in saved.notes)


def test_what_deleted_and_merged_segments_leave(tmp_path):
    """Deleted documents stay so, and what was merged is there once."""
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add({"id": f"{n}", "text": f"red figs {n}"} for n in range(20))
    old = index._snapshot.segments[0].path
    kept = old.read_bytes()
    index.add({"id": f"b{n}", "text": f"blue plums {n}"} for n in range(20))
    index.delete(["3", "b4"])
    index.merge()
    index.delete(["5"])
    old.write_bytes(kept)  # a writer was killed before it had removed this
    lose_the_manifest(index.path)
    save(index.path, tmp_path / "b.idx")
    assert sorted(Index.open(tmp_path / "b.idx").ids()) == sorted(index.ids())


def test_settings_that_must_be_given(copied, tmp_path):
    """Where all words are damaged, nothing tells how they were made."""
    index = copied("text")
    whole = records(index)
    succeed_args = ("check", index, "--save", tmp_path / "saved.idx")
    _, _, said = run(*succeed_args, "--language", "english")
    assert "still says how text was analysed" in said
    lose_the_manifest(index)
    for file in (index / "segments").glob("*.seg"):
        forged = Forged(file)
        flip(file, forged.section("terms.text")["offset"], 1)
    _, _, said = run(*succeed_args)
    assert "give --language, --fields, --stop-words and --bigrams" in said
    status, stdout, _ = run(*succeed_args, "--language", "english")
    assert status == 1, "the index is damaged"
    assert f"{len(whole)} documents saved" in stdout
    assert records(tmp_path / "saved.idx") == whole


def test_judgements_stay_with_a_lost_manifest(copied, tmp_path):
    index = copied("text")
    opened = Index.open(index)
    some = opened.ids()[0]
    opened.session("r", query="red").judge(some, "relevant")
    lose_the_manifest(index)
    rescue(index, tmp_path / "saved.idx")
    after = Index.open(tmp_path / "saved.idx").session("r")
    assert some in after.judgements()


def test_nothing_is_left(copied, tmp_path):
    index = copied("text")
    lose_the_manifest(index)
    for file in (index / "segments").glob("*.seg"):
        file.write_bytes(b"nothing")
    with pytest.raises(StoreError, match=r"nothing of .* can be saved"):
        save(index, tmp_path / "saved.idx")


def test_a_copy_whose_files_are_gone_is_no_copy(copied):
    index = copied("text")
    (index / "manifest.json").write_bytes(b"nothing")
    next((index / "segments").glob("*.seg")).unlink()
    assert "what the segments tell" in check(index).damages[0].meaning


def test_files_that_are_cut_short_or_gone(copied, tmp_path):
    index = copied("text")
    whole = records(index)
    for path in sorted((index / "segments").iterdir()):
        content = path.read_bytes()
        for short in (content[: len(content) // 2], b"", None):
            path.unlink() if short is None else path.write_bytes(short)
            assert path.name in check(index).damages[0].file
            path.write_bytes(content)
        path.unlink()
        check_saved(index, tmp_path / "saved.idx", whole, path.name)
        path.write_bytes(content)


def test_embeddings_are_kept_where_they_are_whole(copied, tmp_path):
    index = copied("text")
    before = Index.open(index)
    manifest = before.manifest
    flip(index / manifest.segments[1].views["embeddings"].file, 70, 1)
    saved = save(index, tmp_path / "saved.idx")
    after = Index.open(tmp_path / "saved.idx")
    assert any("lost their embeddings" in note for note in saved.notes)
    assert after.ids() == before.ids()
    first = manifest.segments[0].live
    info = after.info().views["embeddings"]
    assert (info.documents, info.later, info.source) == (first, 38 - first, "m")
    rows = [
        i.searcher.snapshot.segments[0].view("embeddings").at(slice(None)) for i in (before, after)
    ]
    live = before.searcher.snapshot.segments[0].live
    assert np.array_equal(rows[0][live], rows[1][:first])
    assert after.info().views["latent"].dimensions == 3
    assert after.manifest.identity == manifest.identity, "judgements are still of this collection"


@pytest.mark.parametrize("name", ["values", "dense", "counts"])
def test_vectors_are_the_same(copied, tmp_path, name):
    index = copied(name)
    save(index, tmp_path / "saved.idx")
    ids = Index.open(index).ids()
    hits = [
        [(hit.id, hit.score) for hit in Index.open(path, threads=1).like(ids[:3], k=20)]
        for path in (index, tmp_path / "saved.idx")
    ]
    assert hits[0] == hits[1]


def test_rows_are_made_of_the_lists_by_column(copied, tmp_path):
    for name in ("values", "counts"):
        index = copied(name)
        whole = records(index)
        (segment,) = (index / "segments").glob("*.seg")
        flip(segment, parts(segment)["rows.columns"][5], 2)
        saved = check_saved(index, tmp_path / "saved.idx", whole, name)
        assert saved.lost == 0
        shutil.rmtree(index)


def test_an_index_without_documents(tmp_path):
    Index.create(tmp_path / "empty.idx")
    assert check(tmp_path / "empty.idx").sound
    assert save(tmp_path / "empty.idx", tmp_path / "saved.idx").documents == 0
    with pytest.raises(StoreError, match="no index at"):
        check(tmp_path / "none.idx")
    with pytest.raises(UsageError, match="choose another name"):
        save(tmp_path / "empty.idx", tmp_path)


def test_checking_changes_nothing(copied):
    index = copied("text")
    before = all_bytes(index)
    check(index)
    assert all_bytes(index) == before


def test_judgements_come_along(copied, tmp_path):
    index = copied("text")
    session = Index.open(index).session("s", query="red figs")
    session.judge("d2", "relevant")
    rescued = rescue(index, tmp_path / "saved.idx")
    assert (
        rescued.judgements == f"judgements were copied to {tmp_path / 'saved.idx.sessions.sqlite'}"
    )
    assert [one.name for one in Index.open(tmp_path / "saved.idx").sessions()] == ["s"]
    with pytest.raises(UsageError, match="is there already"):
        rescue(index, tmp_path / "saved.idx")
    database = index.with_name("damaged.idx.sessions.sqlite")
    for beside in tmp_path.glob("damaged.idx.sessions.sqlite-*"):
        beside.unlink()
    database.write_bytes(database.read_bytes()[:5000])
    assert "is damaged and was not copied" in rescue(index, tmp_path / "other.idx").judgements
    assert not (tmp_path / "other.idx.sessions.sqlite").exists()


def test_the_command(copied, tmp_path):
    index = copied("text")
    stdout, _ = succeed("check", index)
    assert stdout == f"{index} is whole: 38 documents, every byte checked\n"
    segment = index / "segments/000001.seg"
    flip(segment, parts(segment)["records"][30], 1)
    status, stdout, _ = run("check", index)
    assert status == 1
    assert stdout.startswith("segments/000001.seg: 29 of 29 documents cannot be read: d0, d2, d3,")
    status, stdout, _ = run("check", index, "--json")
    found = json.loads(stdout)
    assert (status, found["sound"], found["lost"]) == (1, False, 29)
    assert found["damages"][0]["ids"][:2] == ["d0", "d2"]
    status, stdout, _ = run("check", index, "--save", tmp_path / "saved.idx", "--json")
    assert (status, json.loads(stdout)["saved"]["documents"]) == (1, 9)
    status, stdout, _ = run("check", index, "--save", tmp_path / "again.idx")
    assert f"9 documents saved in {tmp_path / 'again.idx'}, 29 lost\nlost: d0, d2" in stdout
    assert succeed("check", tmp_path / "again.idx")
