"""Indexes that a cluster builds: the same as elsewhere, whatever happens to workers and input."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import threading
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from helpers.clusters import dask, kill, scheduler, wait_until
from helpers.sharded import pairs, whole
from likewise import Index, InputError, LeftOut, UsageError
from likewise.cli.app import app
from likewise.datasets import arxiv_sample
from likewise.errors import ClusterError, DuplicateError
from likewise.readers import ReadOptions
from likewise.readers.dividing import divided, lines_between
from likewise.readers.problems import Problems
from likewise.readers.reading import find_sources, read
from likewise.store.manifest import NAME
from likewise.store.mirror import copy_of
from likewise.store.partitions import partitions

distributed = pytest.importorskip("distributed")
WORDS = "quantum gases in optical lattices"


@pytest.fixture(scope="module")
def cluster():
    """Two processes that all tests here share."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made


@pytest.fixture
def address(cluster):
    return cluster.scheduler_address


@pytest.fixture(scope="module")
def rows():
    (sample,) = find_sources([arxiv_sample()], ReadOptions(), Problems(), None)
    with sample.open() as stream:
        return stream.read().splitlines(keepends=True)


@pytest.fixture
def file(tmp_path, rows):
    path = tmp_path / "papers.jsonl"
    path.write_bytes(b"".join(rows[:600]))
    return path


def build(path, files, address, shards=3, **options):
    index = Index.create(path, shards=shards, latent=0)
    index.added = index.add(files, cluster=address, **options)
    return index


def content(path):
    """Every byte of an index but its locks."""
    files = [file for file in path.rglob("*") if file.is_file() and file.name != "lock"]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


# The same as elsewhere


def test_it_ranks_as_an_index_without_shards(tmp_path, file, address):
    told = []
    many = build(tmp_path / "many", file, address, progress=lambda *now: told.append(now))
    one = whole(tmp_path / "one", [file])
    assert told[-1] == (file.stat().st_size, file.stat().st_size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert many.ids() == one.ids()
    assert many.terms() == one.terms()
    assert pairs(many.search(WORDS, 30)) == pairs(one.search(WORDS, 30))
    examples = one.ids()[:5]
    a, b = (index.like(examples, method="ba", k=20) for index in (one, many))
    assert [hit.id for hit in a] == [hit.id for hit in b]
    sizes = [len(Index.open(many.path / f"shards/{i:04}")) for i in range(3)]
    assert sum(sizes) == 600
    assert min(sizes) > 150
    (source,) = many.info().sources
    assert (source.name, source.read) == ("papers.jsonl", 600)
    many.verify()
    assert {path.name for path in (many.path / "shards").iterdir()} == {"0000", "0001", "0002"}


def test_files_and_folders_keep_their_order_and_ids(tmp_path, rows, address):
    folder = tmp_path / "notes"
    folder.mkdir()
    for i in range(7):
        (folder / f"{i}.txt").write_text(f"note {i}\n\nof cells and genes")
    given = [folder]
    for i in range(2):
        (tmp_path / f"{i}.jsonl").write_bytes(b"".join(rows[40 * i : 40 * i + 40]))
        given.append(tmp_path / f"{i}.jsonl")
    one, many = whole(tmp_path / "one", given), build(tmp_path / "many", given, address, 5)
    assert many.ids() == one.ids()
    assert dict(many.roots) == dict(one.roots)
    assert pairs(many.search("cells theory")) == pairs(one.search("cells theory"))
    (tmp_path / "late.txt").write_text("late")
    many.add(tmp_path / "late.txt")
    assert many.ids()[-1].endswith("late.txt")


def test_what_cannot_be_divided_is_one_shard(tmp_path, file, address):
    packed = tmp_path / "papers.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    index = build(tmp_path / "many", packed, address)
    assert len(index) == 600
    assert [note for note in index.added.remarks if "2 of 3 shards are empty" in note]


def test_later_additions(tmp_path, file, rows, address):
    index = build(tmp_path / "many", file, address)
    later = tmp_path / "later.jsonl"
    later.write_bytes(b"".join(rows[600:700]))
    assert index.add(later, cluster=address).documents == 100
    one = whole(tmp_path / "one", [file, later])
    assert index.ids() == one.ids()
    assert pairs(index.search(WORDS)) == pairs(one.search(WORDS))


def test_input_and_index_at_urls(tmp_path, file, address, monkeypatch):
    """Workers put their shards there, and search what they have copies of."""
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "copies"))
    url = f"file://{tmp_path}/there/big.idx"
    index = build(url, f"file://{file}", address)
    one = whole(tmp_path / "one", [file])
    assert index.ids() == one.ids()
    assert pairs(index.search(WORDS)) == pairs(one.search(WORDS))
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "others"))
    elsewhere = Index.open(url)
    elsewhere.verify()
    assert pairs(elsewhere.search(WORDS)) == pairs(one.search(WORDS))
    parts = partitions(elsewhere.searcher.snapshot)
    assert [sum(len(s.rows) > 0 for s in part()) for part in parts] == [1, 1, 1]
    assert len(Index.open(copy_of(url)).ids()) == 600
    copied = [*copy_of(url).with_name("shards").rglob("*.seg")]
    assert len(copied) == 3


# What goes wrong


def test_a_build_goes_on_where_it_was(tmp_path, file, address):
    once = build(tmp_path / "once", file, address)
    path = tmp_path / "many"
    bad = file.read_bytes()
    times = file.stat().st_mtime_ns
    file.write_bytes(bad[:-200] + b"x" * 199 + b"\n")
    with pytest.raises(InputError, match=r"papers.jsonl, line 600: not valid JSON"):
        build(path, file, address, strict=True)
    assert len(Index.open(path)) == 0
    kept = path / "shards/0000" / NAME
    before = kept.stat().st_mtime_ns
    file.write_bytes(bad)
    os.utime(file, ns=(times, times))  # so that what was built of it is known again
    again = build(path, file, address, strict=True)
    assert again.ids() == once.ids()
    assert len(Index.open(path)) == 600
    assert not before or kept.exists()


def test_finished_shards_are_not_built_again(tmp_path, file, address):
    path = tmp_path / "many"
    Index.create(path, shards=3, latent=0)
    empty = (path / NAME).read_bytes()
    build(path, file, address)
    before = content(path)
    times = {name: (path / name).stat().st_mtime_ns for name in before if "/0000/" in name}
    (path / NAME).write_bytes(empty)  # as if the client had ended before the last step
    shutil.rmtree(path / "shards/0002")
    index = build(path, file, address)
    assert "2 shards were finished before" in index.added.remarks
    assert content(path) == before
    assert times == {name: (path / name).stat().st_mtime_ns for name in times}
    assert index.added.documents == 600


def test_an_id_in_two_shards_is_named_by_file_and_line(tmp_path, rows, address):
    file = tmp_path / "papers.jsonl"
    first = json.loads(rows[3])["id"]
    again = json.dumps({"id": first, "text": "again"}).encode() + b"\n"
    file.write_bytes(b"".join([*rows[:80], again]))
    says = rf"papers.jsonl, line 81: id '{first}' was already given at \S*papers.jsonl, line 4:"
    with pytest.raises(DuplicateError, match=says):
        build(tmp_path / "many", file, address)
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(b"".join([*rows[:80], rows[79]]))
    says = r"twice.jsonl, line 81: id '\S+' was already given at \S*twice.jsonl, line 80: give"
    with pytest.raises(DuplicateError, match=says):
        build(tmp_path / "other", twice, address)


def test_bad_lines_are_left_out_and_listed(tmp_path, file, rows, address):
    lines = [*rows[:90], b"{\n", *rows[90:100]]
    file.write_bytes(b"".join(lines))
    with pytest.warns(LeftOut, match=r"papers.jsonl, line 91: not valid JSON"):
        index = build(tmp_path / "many", file, address)
    assert index.added.problem_count == 1
    assert len(index) == 100
    (source,) = index.info().sources
    assert source.unreadable == 1


def test_a_worker_that_is_killed_changes_nothing(tmp_path, rows, cluster, address):
    """In the middle of a shard: another worker builds it, and every byte is the same."""
    file = tmp_path / "large.jsonl"
    with file.open("wb") as out:
        for i in range(6):
            out.writelines(line.replace(b'"id": "', b'"id": "%d-' % i, 1) for line in rows)
    expected = build(tmp_path / "expected", file, address, shards=2)
    path, killed = tmp_path / "many", []

    def murder():
        wait_until(lambda: [*path.glob("shards/.draft-*/segments/*")], 0.001)
        with distributed.Client(address, set_as_default=False) as client:
            busy = next(worker for worker, tasks in client.processing().items() if tasks)
            pids = client.run(os.getpid)
            killed.append(pids[busy])
            kill(pids[busy])

    thread = threading.Thread(target=murder)
    thread.start()
    index = build(path, file, address, shards=2)
    thread.join()
    assert killed
    assert content(path) == content(expected.path)
    assert len(index) == 6 * len(rows)
    index.verify()


def test_workers_that_end_again_and_again_and_a_scheduler_that_is_gone(tmp_path, file):
    one_failure = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with scheduler("", **one_failure) as (address, processes):
        path = tmp_path / "many"
        Index.create(path, shards=2)

        def end(process):
            wait_until(lambda: [*path.glob("shards/.draft-*")], 0.001)
            process.kill()

        large = tmp_path / "large.jsonl"
        large.write_bytes(
            b"".join(
                json.dumps({"id": f"d{i}", "text": f"word{i} cell gene " * 200}).encode() + b"\n"
                for i in range(3000)
            )
        )
        thread = threading.Thread(target=end, args=[processes[1]])
        thread.start()
        says = r"1 workers ended while they built shards/000\d \(\S*large.jsonl\), .* memory"
        with pytest.raises(ClusterError, match=says):
            Index.open(path).add(large, cluster=address)
        thread.join()
        assert len(Index.open(path)) == 0
        assert not [*path.glob("shards/.draft-*")]
        processes.append(dask("worker", address, "--no-nanny", "--no-dashboard"))
        thread = threading.Thread(target=end, args=[processes[0]])
        thread.start()
        with pytest.raises(ClusterError, match=r"the scheduler at .* is gone .* same again"):
            Index.open(path).add(large, cluster=address)
        thread.join()
    index = Index.open(path)
    assert len(index) == 0
    index.add(file)
    assert len(index) == 600


def test_what_a_cluster_does_not_do(tmp_path, file, address):
    plain = Index.create(tmp_path / "plain")
    with pytest.raises(UsageError, match="is not in shards"):
        plain.add(file, cluster=address)
    index = Index.create(tmp_path / "many", shards=2)
    with pytest.raises(UsageError, match="give paths"):
        index.add([{"id": "a", "text": "b"}], cluster=address)
    with pytest.raises(UsageError, match="standard input"):
        index.add("-", cluster=address)
    with pytest.raises(UsageError, match="on_duplicate is for one process"):
        index.add(file, cluster=address, on_duplicate="skip")
    with pytest.raises(UsageError, match="cluster is 'nowhere'"):
        index.add(file, cluster="nowhere")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF")
    (tmp_path / "records.ris").write_text("TY  - JOUR\n")
    with pytest.raises(UsageError, match="belong together"):
        index.add([tmp_path / "paper.pdf", tmp_path / "records.ris"], cluster=address)


# Division


@given(
    lines=st.lists(st.binary(max_size=30).map(lambda b: b.hex().encode()), max_size=40),
    count=st.integers(1, 9),
    files=st.integers(1, 3),
    ends=st.booleans(),
)
def test_every_line_is_in_one_run_and_in_order(tmp_path_factory, lines, count, files, ends):
    folder = tmp_path_factory.mktemp("lines")
    rows = [json.dumps({"id": f"d{i}", "text": line.decode()}) for i, line in enumerate(lines)]
    paths = [folder / f"{i}.jsonl" for i in range(files)]
    for i, path in enumerate(paths):
        own = rows[len(rows) * i // files : len(rows) * (i + 1) // files]
        path.write_text("\n".join(own) + ("\n" if ends and own else ""))
    options = ReadOptions()
    sources = find_sources(paths, options, Problems(), None)
    runs = divided(sources, count)
    assert len(runs) == count
    found = []
    for source in chain.from_iterable(runs):
        if source.end is None:
            found.append(source.path.read_bytes())
        else:
            with source.open() as stream:
                found.append(stream.read())
                assert lines_between(source, source.begin, source.end) == found[-1].count(b"\n")
            assert source.size == len(found[-1])
    assert b"".join(found) == b"".join(path.read_bytes() for path in paths)
    assert all(part[:1] in (b"{", b"") for part in found)
    (folder / "wide.jsonl").write_text('{"id": "a", "text": "b"}\n' * 50, encoding="utf-16")
    (wide,) = find_sources([folder / "wide.jsonl"], options, Problems(), None)
    assert sum(map(len, divided([wide], 4))) == 1
    assert [*read(paths[0], options, Problems())] or not rows or files > len(rows)


# The command


def test_the_command(tmp_path, file):
    def run(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        return result.exit_code, result.output

    one, many = tmp_path / "one.idx", tmp_path / "many.idx"
    assert run("index", file, "-o", one, "--no-latent")[0] == 0
    code, said = run(
        "index", file, "-o", many, "--no-latent", "--shards", 3, "--cluster", "local:2"
    )
    assert code == 0, said
    found = [run("search", path, WORDS, "--format", "jsonl") for path in (one, many)]
    assert found[0] == found[1]
    code, said = run("index", file, "-o", tmp_path / "b.idx", "--cluster", "local:2")
    assert code
    assert "--shards" in said
