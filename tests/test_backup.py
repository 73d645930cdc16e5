"""Backups: one file while others write, and back; damaged, cut short, killed, over an index."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from helpers.command_line import refuse, run, succeed
from helpers.server_client import serving
from likewise import Document, Index, LockedError, StoreError, UsageError
from likewise.store.disk import WriteLock

LABELS = ("relevant", "not")
KILLS = int(os.environ.get("LIKEWISE_TEST_KILLS", "4"))


def documents(first, last):
    texts = {i: f"walking robot number {i} {'arm ' * (i % 5)}" for i in range(first, last)}
    return [Document(f"d{i}", text) for i, text in texts.items()]


def beside(index):
    """What lies beside an index, but for its judgements."""
    own = {index.path.name, f"{index.path.name}.sessions.sqlite"}
    names = {path.name for path in index.path.parent.iterdir()}
    return {name for name in names if name.removesuffix("-wal").removesuffix("-shm") not in own}


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "papers.idx", latent=4)
    made.add(documents(0, 60))
    made.add(documents(60, 70), merge=False)
    made.embed(np.random.default_rng(0).normal(size=(70, 3)).astype(np.float32))
    made.delete(["d7", "d65"])
    session = made.session("screening", query="robot arm", reviewer="ann")
    session.judge_all({"d1": "relevant", "d2": "not", "d3": "relevant"})
    return made


def answers(index):
    """What an index says, in numbers that must be the same."""
    examples = index.like(["d4", "d8"], k=68)
    return (
        index.ids(),
        list(index.search("robot arm", k=68)),
        list(examples),
        [index.document(id) for id in index.ids()],
        index.info()._replace(path="", generation=0),
    )


def test_a_round_trip(tmp_path, index):
    seen = []
    made = index.backup(tmp_path / "b.zip", progress=lambda done, total: seen.append((done, total)))
    assert (made.documents, made.generation, made.judgements) == (68, index.generation, 3)
    assert seen[-1][0] > 0.9 * seen[-1][1]
    assert seen == sorted(seen)
    there = Index.restore(tmp_path / "b.zip", tmp_path / "other" / "again.idx")
    assert answers(there) == answers(index)
    there.verify()
    labels = {"d1": "relevant", "d2": "not", "d3": "relevant"}
    assert there.session("screening", reviewer="ann").judgements() == labels
    there.add(documents(70, 71))  # it can be written to
    assert len(there) == 69
    assert beside(index) == {"b.zip", "other"}


def test_kinds_without_text_and_without_judgements(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(4, dtype=np.float32))
    index = Index.create(tmp_path / "v.idx")
    index.add(tmp_path / "v.npy")
    assert index.backup(tmp_path / "b.zip").judgements is None
    there = Index.restore(tmp_path / "b.zip", tmp_path / "w.idx")
    assert there.ids() == index.ids()
    assert not (tmp_path / "w.idx.sessions.sqlite").exists()


def test_into_a_folder_by_name_and_time(tmp_path, index):
    (tmp_path / "backups").mkdir()
    made = index.backup(tmp_path / "backups")
    assert made.path.parent == tmp_path / "backups"
    assert made.path.name.startswith("papers-20")
    assert made.path.name.endswith("Z.likewise.zip")
    assert list((tmp_path / "backups").iterdir()) == [made.path]


def test_nothing_is_overwritten_without_force(tmp_path, index):
    file = tmp_path / "b.zip"
    index.backup(file)
    before = file.read_bytes()
    with pytest.raises(UsageError, match=r"b\.zip is there already.*force=True"):
        index.backup(file)
    assert file.read_bytes() == before
    index.delete("d5")
    index.backup(file, force=True)
    assert file.read_bytes() != before
    with pytest.raises(UsageError, match=r"there is an index at .* already.*--force"):
        Index.restore(file, index.path)
    shutil.rmtree(index.path)
    with pytest.raises(UsageError, match=r"there are judgements at .* already.*--force"):
        Index.restore(file, index.path)
    assert not index.path.exists()


def test_over_an_index_as_its_next_generation(tmp_path, index):
    expected = answers(index)
    index.backup(tmp_path / "b.zip")
    index.delete(["d1", "d2"])
    index.add(documents(100, 150))
    index.session("screening", reviewer="ann").judge("d9", "relevant")
    reader = Index.open(index.path)
    before = answers(reader)
    there = Index.restore(tmp_path / "b.zip", index.path, force=True)
    assert there.generation == index.generation + 1
    assert answers(there) == expected
    assert answers(reader) == before  # it stays at its generation
    there.verify()
    assert set(there.session("screening", reviewer="ann").judgements()) == {"d1", "d2", "d3"}
    (kept,) = tmp_path.glob("*.before-restore-*")
    with sqlite3.connect(kept) as connection:
        assert connection.execute("SELECT count(*) FROM likewise_events").fetchone() == (4,)
    there.add(documents(200, 201))
    there.delete("d0")
    there.merge()
    there.verify()


def test_a_writer_is_not_disturbed(tmp_path, index):
    index.backup(tmp_path / "b.zip")
    with WriteLock(index.path / "lock"), pytest.raises(LockedError):
        Index.restore(tmp_path / "b.zip", index.path, force=True)


def test_a_backup_of_what_is_damaged_is_refused(tmp_path, index):
    (segment, *_) = sorted((index.path / "segments").glob("*.seg"))
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.unlink()
    segment.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        index.backup(tmp_path / "b.zip")
    assert not list(tmp_path.glob("b.zip*"))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_cut_short(tmp_path, index, share):
    file = index.backup(tmp_path / "b.zip").path
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    refuse(1, r".*b\.zip is no backup .*nothing was restored", "restore", file, tmp_path / "x.idx")
    assert beside(index) == {"b.zip"}


def test_every_flipped_bit_is_found(tmp_path, index):
    file = index.backup(tmp_path / "b.zip").path
    expected, content = answers(index), file.read_bytes()
    rng = random.Random(1)
    for place in rng.sample(range(len(content)), 40):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        target = tmp_path / "out" / f"x{place}.idx"
        target.parent.mkdir(exist_ok=True)
        status, _, said = run("restore", file, target)
        if status == 0:  # the bit is in what ZIP says of dates and the like
            assert answers(Index.open(target)) == expected
        else:
            assert "nothing was restored" in said
            assert not target.exists()
            assert not Path(f"{target}.sessions.sqlite").exists()
        shutil.rmtree(target.parent)


def test_strange_archives(tmp_path):
    refuse(1, r"cannot read .*no such file.*", "restore", tmp_path / "none", tmp_path / "x.idx")
    (tmp_path / "text.zip").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("../evil", "x")
    for name in ("text.zip", "other.zip"):
        refuse(1, r".* is no backup .*", "restore", tmp_path / name, tmp_path / "x.idx")
    assert not (tmp_path.parent / "evil").exists()


def test_judgements_elsewhere(tmp_path, index):
    place = tmp_path / "elsewhere.sqlite"
    index.session("other", query="robot", database=place).judge("d3", "not")
    made = index.backup(tmp_path / "b.zip", database=place)
    assert made.judgements == 1
    there = Index.restore(tmp_path / "b.zip", tmp_path / "x.idx", database=tmp_path / "y.sqlite")
    assert there.session("other", database=tmp_path / "y.sqlite").judgements() == {"d3": "not"}
    with pytest.raises(UsageError, match="pg_dump"):
        index.backup(tmp_path / "c.zip", database="postgresql://localhost/x")


def test_saved_queries_go_to_the_new_name(tmp_path, index):
    with serving(index.path) as client:
        asked = {"positive": ["d1", "d4"], "wait": 30}
        learned = client.post("/v1/indexes/papers/search", json=asked).json()["query"]["id"]
        named = {"name": "mine", "query": learned}
        client.post("/v1/indexes/papers/queries", json=named).raise_for_status()
    index.backup(tmp_path / "b.zip")
    Index.restore(tmp_path / "b.zip", tmp_path / "renamed.idx")
    with serving(tmp_path / "renamed.idx") as client:
        found = client.get("/v1/indexes/renamed/queries").json()
        assert [query["name"] for query in found["queries"]] == ["mine"]


def test_while_others_add_and_judge(tmp_path):
    """Each backup is one generation that was, and a number of judgements that was."""
    index = Index.create(tmp_path / "busy.idx", latent=0)
    index.add(documents(0, 60))
    index.session("screening", query="robot arm")
    sizes, stop, judged = {index.generation: len(index)}, Event(), [0]

    def add():
        writer = Index.open(index.path)
        for number in range(1000, 1200):
            writer.add(documents(number, number + 1))
            sizes[writer.generation] = len(writer)
        stop.set()

    def judge():
        session = Index.open(index.path).session("screening", reviewer="bob")
        while not stop.is_set():
            session.judge(f"d{8 + judged[0] % 50}", LABELS[judged[0] % 2])
            judged[0] += 1

    threads = [Thread(target=add), Thread(target=judge)]
    for thread in threads:
        thread.start()
    made = []
    while not stop.is_set() or not made:
        before = judged[0]
        one = index.backup(tmp_path / f"b{len(made)}.zip")
        made.append((one, before, judged[0] + 1))
        stop.wait(0.2)
    for thread in threads:
        thread.join()
    assert len(made) > 2
    for one, least, most in made[:: max(len(made) // 6, 1)]:
        there = Index.restore(one.path, tmp_path / f"{one.path.stem}.idx")
        there.verify()
        assert len(there) == sizes[one.generation] == one.documents
        assert least <= one.judgements <= most
        listed = {session.name: session.events for session in there.sessions()}
        assert listed["screening"] == one.judgements
        assert there.search("walking robot")


PROGRAM = """
import sys
from likewise import Index
if sys.argv[1] == "backup":
    Index.open(sys.argv[2]).backup(sys.argv[3], force=True)
else:
    Index.restore(sys.argv[2], sys.argv[3], force=len(sys.argv) > 4)
"""


def killed(after, *arguments):
    """Run a program and kill it after some seconds; whether it had ended by itself."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, *map(str, arguments)])
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    return process.wait() == 0


def time_of(*arguments):
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", PROGRAM, *map(str, arguments)], check=True)
    return time.monotonic() - began


def test_killed_backups_and_restores(tmp_path, index):
    """What has the name of a backup is whole, and so is what has the name of an index."""
    index.add(documents(1000, 4000))
    expected, file, target = answers(index), tmp_path / "b.zip", tmp_path / "x.idx"
    rng, takes = random.Random(5), time_of("backup", index.path, file)
    for trial in range(KILLS):
        if trial % 2:
            file.unlink(missing_ok=True)
        killed(takes * rng.uniform(0.3, 1.05), "backup", index.path, file)
        if file.exists():
            Index.restore(file, target)
            shutil.rmtree(target)
            Path(f"{target}.sessions.sqlite").unlink()
    index.backup(file, force=True)
    assert not list(tmp_path.glob("*.part*"))  # the next one has tidied up
    takes = time_of("restore", file, tmp_path / "first.idx")
    for _ in range(KILLS):
        killed(takes * rng.uniform(0.3, 1.05), "restore", file, target, "force")
        if target.exists():
            assert answers(Index.open(target)) == expected
            shutil.rmtree(target)
        Path(f"{target}.sessions.sqlite").unlink(missing_ok=True)
    assert answers(Index.restore(file, target, force=True)) == expected


def test_the_commands(tmp_path, index):
    _, said = succeed("backup", index.path, tmp_path / "b.zip")
    assert "68 documents, 3 judgements" in said
    _, said = succeed("restore", tmp_path / "b.zip", tmp_path / "x.idx")
    assert "x.idx" in said
    assert "68 documents" in said
    refuse(2, r".*already.*--force.*", "backup", index.path, tmp_path / "b.zip")
    refuse(2, r".*already.*--force.*", "restore", tmp_path / "b.zip", tmp_path / "x.idx")
    succeed("restore", tmp_path / "b.zip", tmp_path / "x.idx", "--force")
