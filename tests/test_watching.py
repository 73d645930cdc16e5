"""Watching a folder: what comes is indexed, scored and told once, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from helpers.command_line import refuse, run, succeed
from likewise import Document, Index, InputError, Query, StoreError, UsageError
from likewise.watching import Arrivals, Watch
from likewise.watching.arrivals import Entry, place
from likewise.watching.digest import as_atom, as_json, as_text
from likewise.watching.watch import Settings

ATOM = "{http://www.w3.org/2005/Atom}"
READY = Settings(settle=0)


def write(folder, name, text, age=100.0):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    then = time.time() - age
    os.utime(path, (then, then))
    return path


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "papers").mkdir()
    return tmp_path / "papers"


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "x.idx", latent=0)
    made.add([Document("r", "robot arm"), Document("g", "quantum gases"), Document("p", "plain")])
    return made


@pytest.fixture
def query(index, tmp_path):
    learned = index.learn(["r"], ["g"], method="rocchio")
    learned.portable.save(tmp_path / "robots.json")
    return tmp_path / "robots.json"


@pytest.fixture
def watch(index, folder, query):
    return Watch(index, folder, [query], settings=READY)


def ids(look):
    return [one.id for one in look.entries]


class TestLooks:
    def test_new_changed_and_gone(self, watch, index, folder):
        assert ids(watch.look()) == []  # what was there is no news
        write(folder, "a.txt", "a robot with an arm")
        write(folder, "sub/b.txt", "more robots")
        look = watch.look()
        assert (ids(look), look.files) == (["a.txt", "sub/b.txt"], 2)
        assert ids(watch.look()) == []
        write(folder, "a.txt", "a robot with another arm", age=50)
        assert ids(watch.look()) == ["a.txt"]
        write(folder, "a.txt", "a robot with another arm", age=20)  # touched only
        look = watch.look()
        assert (ids(look), look.files) == ([], 1)
        (folder / "a.txt").unlink()
        look = watch.look()
        assert (look.gone, look.removed) == (["a.txt"], 0)
        assert "a.txt" in index
        assert watch.look().gone == []

    def test_removing_what_is_gone(self, index, folder, query):
        watch = Watch(index, folder, [query], settings=Settings(settle=0, remove=True))
        write(folder, "a.txt", "robots")
        watch.look()
        (folder / "a.txt").unlink()
        assert watch.look().removed == 1
        assert "a.txt" not in index

    def test_only_records_that_changed(self, watch, folder):
        records = [{"id": f"x{i}", "text": f"robot number{i}"} for i in range(3)]
        write(folder, "r.jsonl", "".join(json.dumps(one) + "\n" for one in records))
        assert sorted(ids(watch.look())) == ["x0", "x1", "x2"]
        records[1]["text"] = "robot arms, corrected"
        write(folder, "r.jsonl", "".join(json.dumps(one) + "\n" for one in records), age=50)
        assert ids(watch.look()) == ["x1"]

    def test_a_file_that_is_being_written_waits(self, index, folder, query):
        watch = Watch(index, folder, [query], settings=Settings(settle=1000))
        write(folder, "old.txt", "robots", age=2000)
        write(folder, "new.txt", "robots", age=0)
        look = watch.look()
        assert (ids(look), look.waiting) == (["old.txt"], ["new.txt"])
        assert "new.txt" not in index

    def test_a_clock_ahead_settles_by_our_own(self, index, folder, query):
        watch = Watch(index, folder, [query], settings=Settings(settle=0.05))
        write(folder, "a.txt", "robots", age=-5000)
        assert watch.look().waiting == ["a.txt"]
        time.sleep(0.06)
        assert ids(watch.look()) == ["a.txt"]

    def test_several_queries_and_limits(self, index, folder, query, tmp_path):
        index.learn(["g"], ["r"], method="rocchio").portable.save(tmp_path / "gases.json")
        queries = [query, tmp_path / "gases.json"]
        watch = Watch(index, folder, queries, settings=Settings(k=1, min_score=0.01, settle=0))
        watch.look()
        write(folder, "a.txt", "robot arm robot arm")
        write(folder, "b.txt", "a robot and its arm, and other words")
        write(folder, "c.txt", "quantum gases")
        found = [(one.query, one.id) for one in watch.look().entries]
        assert found == [(str(query), "a.txt"), (str(tmp_path / "gases.json"), "c.txt")]

    def test_ids_are_those_of_adding_the_folder(self, watch, folder, index, tmp_path):
        write(folder, "deep/er/a.txt", "robots")
        watch.look()
        other = Index.create(tmp_path / "other.idx")
        other.add(folder)
        assert other.ids() == ["deep/er/a.txt"]
        assert "deep/er/a.txt" in index

    def test_a_folder_that_was_added_before(self, index, folder, query):
        write(folder, "a.txt", "robots")
        index.add(folder)
        watch = Watch(index, folder, [query], settings=READY)
        look = watch.look()
        assert (ids(look), look.files) == ([], 0)
        write(folder, "b.txt", "robots")
        assert ids(watch.look()) == ["b.txt"]

    def test_files_of_no_kind_and_bad_ones(self, watch, folder):
        write(folder, "a.xyz", "robots")
        write(folder, "bad.jsonl", "no json\n")
        look = watch.look()
        assert (ids(look), look.files, look.added.problem_count) == ([], 2, 1)
        assert watch.look().files == 0  # until they change

    def test_what_others_add_is_told_too(self, watch, index):
        watch.look()
        Index.open(index.path).add([Document("n", "robot arm")])
        assert ids(watch.look()) == ["n"]

    def test_no_folder(self, index, query, tmp_path):
        with pytest.raises(InputError, match="there is no folder"):
            Watch(index, tmp_path / "none", [query], settings=READY).look()

    def test_a_digest_in_the_folder_would_be_watched(self, index, folder, query):
        with pytest.raises(UsageError, match="in the folder that is watched: put it elsewhere"):
            Watch(index, folder, [query], [folder / "new.xml"])
        with pytest.raises(UsageError, match=r"does not tell its format: \.txt, \.json"):
            Watch(index, folder, [query], [folder.parent / "new.doc"])


class TestCrashes:
    """Wherever it ends, the next look tells what was not told, and nothing twice."""

    STEPS = (
        "likewise.index.Index.add",
        "likewise.watching.arrivals.Arrivals.meet",
        "likewise.watching.watch.Watch._enter",
        "likewise.watching.watch.remember",
        "likewise.watching.watch.replace_file",
    )

    @pytest.mark.parametrize("after", [False, True])
    @pytest.mark.parametrize("step", STEPS)
    def test_at_every_step(self, index, folder, query, tmp_path, monkeypatch, step, after):
        digest = tmp_path / "new.json"
        Watch(index, folder, [query], [digest], READY).look()
        write(folder, "a.txt", "a robot with an arm")
        owner, name = step.rsplit(".", 1)
        with monkeypatch.context() as patched:
            target = _object(owner)
            real = getattr(target, name)

            def fail(*given, **named):
                if after:
                    real(*given, **named)
                raise KeyboardInterrupt

            patched.setattr(target, name, fail)
            with pytest.raises(KeyboardInterrupt):
                Watch(Index.open(index.path), folder, [query], [digest], READY).look()
        Watch(Index.open(index.path), folder, [query], [digest], READY).look()
        told = [one["id"] for one in json.loads(digest.read_text())["entries"]]
        assert told == ["a.txt"]
        Watch(Index.open(index.path), folder, [query], [digest], READY).look()
        assert [one["id"] for one in json.loads(digest.read_text())["entries"]] == told

    def test_killed_processes(self, index, folder, query, tmp_path):
        digest = tmp_path / "new.json"
        asked = [index.path, folder, "--query", query, "--digest", digest, "--settle", 0, "-k", 100]
        command = [sys.executable, "-m", "likewise", "watch", *asked, "--interval", "0.1"]
        succeed("watch", *asked, "--once")
        for number in range(3):
            running = subprocess.Popen(
                list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for part in range(20):
                write(folder, f"{number}-{part}.txt", f"robot arm number{number}x{part}")
                time.sleep(0.03 * number)
            time.sleep(0.6 + 0.2 * number)
            running.send_signal(signal.SIGKILL)
            running.wait()
        succeed("watch", *asked, "--once")
        told = [one["id"] for one in json.loads(digest.read_text())["entries"]]
        assert sorted(told) == sorted(f"{n}-{part}.txt" for n in range(3) for part in range(20))
        assert len(Index.open(index.path)) == 3 + 60

    def test_a_damaged_database_is_named(self, index, watch):
        place(index.path).write_bytes(b"x" * 5000)
        with pytest.raises(StoreError, match=r"x\.idx\.watch\.sqlite cannot be used: .* remove it"):
            watch.look()


def _object(dotted):
    import importlib

    try:
        return importlib.import_module(dotted)
    except ModuleNotFoundError:
        module, name = dotted.rsplit(".", 1)
        return getattr(importlib.import_module(module), name)


ENTRIES = [
    Entry("/q/robots.json", "b", "B & <b>", 0.5, "2026-01-02T03:04:05Z", "https://x.org/?a&b", "s"),
    Entry(
        "/q/robots.json", "a", "\x00\x1b\ufffe", 0.25, "2026-01-01T00:00:00Z", "javascript:1", ""
    ),
]


class TestDigests:
    def test_text(self):
        assert as_text("New", "k", ENTRIES) == (
            "New\n\nrobots\n"
            "  2026-01-02T03:04:05Z  0.5  b  B & <b>\n"
            "  2026-01-01T00:00:00Z  0.25  a  \ufffe\n"
        )

    def test_json(self):
        found = json.loads(as_json("New", "k", ENTRIES))
        assert found["entries"][0] == ENTRIES[0]._asdict()

    @pytest.mark.parametrize("entries", [[], ENTRIES])
    def test_atom_is_as_rfc_4287_says(self, entries):
        feed = ElementTree.fromstring(as_atom("New", "k", entries))
        assert feed.tag == f"{ATOM}feed"
        for parent in (feed, *feed.iter(f"{ATOM}entry")):
            for name in ("id", "title", "updated"):  # exactly one of each
                assert len(parent.findall(f"{ATOM}{name}")) == 1
            assert parent.find(f"{ATOM}id").text.startswith("urn:uuid:")
            assert datetime.fromisoformat(parent.find(f"{ATOM}updated").text).tzinfo
        assert feed.find(f"{ATOM}author/{ATOM}name").text
        found = feed.findall(f"{ATOM}entry")
        assert len({one.find(f"{ATOM}id").text for one in found}) == len(entries)
        for one in found:  # content, where there is no link to what it is about
            assert one.find(f"{ATOM}content").get("type") == "text"
        if entries:
            assert feed.find(f"{ATOM}updated").text == ENTRIES[0].updated
            links = [one.find(f"{ATOM}link") for one in found]
            assert links[0].attrib == {"rel": "alternate", "href": "https://x.org/?a&b"}
            assert links[1] is None

    def test_ids_are_the_same_each_time(self):
        assert as_atom("New", "k", ENTRIES) == as_atom("New", "k", ENTRIES)
        changed = [ENTRIES[0]._replace(updated="2026-02-01T00:00:00Z", title="C")]
        first, again = (
            ElementTree.fromstring(as_atom("New", "k", one)).findtext(f"{ATOM}entry/{ATOM}id")
            for one in (ENTRIES, changed)
        )
        assert first == again

    def test_are_written_and_not_touched_without_need(self, index, folder, query, tmp_path):
        paths = [tmp_path / f"new.{suffix}" for suffix in ("txt", "json", "xml")]
        watch = Watch(index, folder, [query], paths, READY)
        write(folder, "a.txt", "A robot\nwith an arm")
        watch.look()
        assert all("a.txt" in path.read_text() for path in paths)
        before = [path.stat().st_ino for path in paths]
        watch.look()
        assert [path.stat().st_ino for path in paths] == before


class TestCommand:
    def test_once(self, index, folder, query, tmp_path):
        asked = ("watch", index.path, folder, "--query", query, "--settle", 0, "--once")
        assert succeed(*asked)[0] == ""
        write(folder, "a.txt", "Arms\na robot with an arm")
        shown, said = succeed(*asked, "--digest", tmp_path / "new.xml")
        assert shown.startswith("robots.json  ")
        assert "  a.txt" in shown
        assert "1 file read: 1 document\n" in said
        assert "a.txt" in (tmp_path / "new.xml").read_text()
        (folder / "a.txt").unlink()
        assert "a.txt is gone\n" in succeed(*asked)[1]
        write(folder, "bad.jsonl", "no json\n")
        assert run(*asked)[0] == 1
        write(folder, "fresh.txt", "robots", age=-3600)
        asked = (*asked[:5], "--settle", 0.2, "--once")
        assert "fresh.txt" in succeed(*asked)[0]

    def test_continuously_until_interrupted(self, index, folder, query):
        command = [sys.executable, "-m", "likewise", "watch", index.path, folder, "--query", query]
        command += ["--interval", "0.1", "--settle", "0"]
        running = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            while Index.open(index.path).generation < 2:
                if running.poll() is not None:
                    break
                if place(index.path).exists():
                    write(folder, "a.txt", "a robot with an arm")
                time.sleep(0.05)
            assert "a.txt" in running.stdout.readline()
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 130
            assert "interrupted; what was found so far is kept" in running.stderr.read()
        finally:
            running.kill()
            running.wait()
            running.stdout.close()
            running.stderr.close()


class TestSearchNew:
    def test_what_came_since_the_last_look(self, index, query):
        asked = ("search", index.path, "--query", query, "--new", "--format", "jsonl")

        def found():
            return [json.loads(line)["id"] for line in succeed(*asked)[0].splitlines()]

        assert "first look" in succeed(*asked)[1]
        assert found() == []
        index.add([Document("n1", "robot arm"), Document("n2", "gases")])
        assert found() == ["n1", "n2"]
        assert found() == []
        index.add([Document("n1", "robot arms, corrected")], on_duplicate="replace")
        index.merge()
        assert found() == ["n1"]
        assert "since the last look" in succeed(*asked)[1]

    def test_it_and_watch_look_by_themselves(self, index, folder, query):
        succeed("search", index.path, "--query", query, "--new")
        watch = Watch(index, folder, [query], settings=READY)
        watch.look()
        write(folder, "a.txt", "robots")
        assert ids(watch.look()) == ["a.txt"]
        assert "a.txt" in succeed("search", index.path, "--query", query, "--new")[0]

    def test_what_failed_was_no_look(self, index, query):
        with Arrivals(index) as arrivals:
            arrivals.meet()
        asked = ("search", index.path, "--query", query, "--new")
        assert run(*asked, "--format", "trec", "--topic", "a b")[0] == 2
        assert "first look" in succeed(*asked)[1]

    def test_it_goes_with_a_query(self, index):
        refuse(2, "--new goes with --query: .*", "search", index.path, "robot", "--new")

    def test_among(self, index, query):
        learned = Query.load(query)
        assert [hit.id for hit in index.run(learned, among=["p", "gone"])] == ["p"]
        assert list(index.run(learned, among=[])) == []

    def test_an_index_that_was_made_again(self, index, query, tmp_path):
        asked = ("search", index.path, "--query", query, "--new", "--format", "jsonl")
        succeed(*asked)
        shutil.rmtree(index.path)
        Index.create(index.path, latent=0).add([Document("r", "robot arm"), Document("z", "robot")])
        assert [json.loads(line)["id"] for line in succeed(*asked)[0].splitlines()] == ["z"]


PAGE = (Path(__file__).parent.parent / "docs" / "watching.md").read_text()


class TestDocumentation:
    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
    def test_the_unit_is_one(self, tmp_path):
        unit = tmp_path / "likewise-watch.service"
        unit.write_text(re.search(r"```ini\n(.*?)```", PAGE, re.DOTALL)[1])
        told = subprocess.run(
            ["systemd-analyze", "verify", "--user", unit],
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert unit.name not in told.stderr
        assert told.returncode == 0, told.stderr

    @pytest.mark.skipif(not shutil.which("flock"), reason="flock is not installed")
    def test_the_line_of_cron_runs(self, index, query, folder, tmp_path):
        line = re.search(r"^\*/10 \* \* \* \* (.*)$", PAGE, re.MULTILINE)[1]
        library = tmp_path / "library"
        library.mkdir()
        index.path.rename(library / "papers.idx")
        folder.rename(library / "inbox")
        query.rename(library / "robots.json")
        bin = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "HOME": str(tmp_path), "PATH": bin}
        told = subprocess.run(
            ["sh", "-c", line], env=environment, capture_output=True, text=True, timeout=120
        )
        assert told.returncode == 0, told.stderr
        assert (library / "new.xml").exists()
