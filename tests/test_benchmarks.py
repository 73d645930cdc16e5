"""The benchmarks' own arithmetic: what they make of times, not the times."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
ON_A_CARD = {"bench_gpu"}  # run by itself, where there is one
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

import run  # noqa: E402
from glance import summary  # noqa: E402
from harness import (  # noqa: E402
    Figure,
    Latencies,
    Timing,
    latencies,
    peak_memory,
    quantile,
    take_turns,
)
from load import Load, Request, by_sockets, read_wrk  # noqa: E402
from memory_use import HighWater, family  # noqa: E402
from results import (  # noqa: E402
    number,
    read_sections,
    section,
    table,
    titled,
    write_sections,
)
from rows import Row, at_least, at_most, needs_cores, times  # noqa: E402
from workspace import LeftOutError, Workspace, renamed, size_on_disk  # noqa: E402


def test_candidates_take_turns_and_the_first_round_is_not_counted() -> None:
    turns: list[str] = []
    candidates = {"ours": lambda: turns.append("ours"), "peer": lambda: turns.append("peer")}
    timings = take_turns(candidates, rounds=2, before=lambda name: turns.append(f"before {name}"))
    assert turns == ["before ours", "ours", "before peer", "peer"] * 3
    assert [len(timing.seconds) for timing in timings.values()] == [2, 2]


def test_every_engine_answers_every_query() -> None:
    seen: list[tuple[str, int]] = []
    engines = {"a": lambda q: seen.append(("a", q)), "b": lambda q: seen.append(("b", q))}
    found = latencies(engines, [1, 2], rounds=1)
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)] * 2
    assert [len(seconds) for seconds in found["b"].rounds] == [2]


def test_median_best_and_rate() -> None:
    timing = Timing((4.0, 1.0, 2.0))
    assert timing.scaled(1000) == Figure(2000, 1000)
    assert timing.rate(8.0) == Figure(4.0, 8.0)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.001, 1)])
def test_quantile_is_the_value_that_the_share_does_not_exceed(share: float, expected: int) -> None:
    assert quantile(range(100, 0, -1), share) == expected


def test_latencies_are_summed_up_round_by_round() -> None:
    found = Latencies(((1.0, 3.0), (2.0, 9.0), (0.5, 5.0)))
    assert found.quantile(1.0, 10) == Figure(50.0, 30.0)


def test_a_ratio_above_one_is_always_better() -> None:
    faster = Row("x", "MB/s", Figure(6, 8), "peer", Figure(2, 2), times(3), more=True)
    shorter = Row("x", "s", Figure(2, 1), "peer", Figure(6, 5), times(4))
    assert (faster.ratio, faster.best_ratio) == (3, 4)
    assert (shorter.ratio, shorter.best_ratio) == (3, 5)
    assert times(3).reached(faster)
    assert not times(4).reached(shorter)


def test_a_bound_on_our_own_figure_needs_no_peer() -> None:
    row = Row("memory", "MB", Figure(500, 480), goal=at_most(600))
    assert at_most(600).reached(row)
    assert not at_most(499).reached(row)
    with pytest.raises(ValueError, match="no peer was measured"):
        times(2).reached(row)


def test_the_table_shows_the_number_asked_for_beside_the_one_measured() -> None:
    rows = [
        Row("index", "MB/s", Figure(60, 66, 412), "tantivy", Figure(30, 30), times(3), more=True),
        Row("memory", "MB", Figure(500, 500), goal=at_most(600)),
    ]
    assert table(rows).splitlines()[2:] == [
        "| index | MB/s | 60 (66) | 412 | tantivy | 30 | **2** (2.2) | ≥ 3 × | **no** |",
        "| memory | MB | 500 | – | – | – | – | ≤ 600 | yes |",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234.5, "1,234"), (99.96, "100"), (0.01234, "0.0123"), (2e-6, "0.000002")],
)
def test_numbers_are_short_and_have_no_exponent(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_partial_run_replaces_only_its_own_tables(tmp_path: Path) -> None:
    path = tmp_path / "RESULTS.md"
    assert read_sections(path) == {}
    first = {name: section(name, "how", "when", "| 1 |") for name in ("B", "A")}
    write_sections(path, first, order=["A", "B", "C"])
    again = read_sections(path)
    assert again == first
    again["B"] = section("B", "how", "later", "| 2 |")
    write_sections(path, again, order=["A", "B", "C"])
    assert read_sections(path) == {"A": first["A"], "B": again["B"]}
    assert path.read_text(encoding="utf-8").index("## A") < path.read_text("utf-8").index("## B")


def test_the_first_table_has_all_that_was_asked_for(tmp_path: Path) -> None:
    rows = [
        Row("index", "MB/s", Figure(60, 66, 412), "tantivy", Figure(30, 30), times(3), more=True),
        Row("index", "MB/s", Figure(60, 66), "bm25s", Figure(30, 30), more=True),
        Row("memory", "MB", Figure(500, 500), goal=at_most(600)),
        Row("search", "requests/s", Figure(1_200, 1_200), goal=at_least(1_000), more=True),
    ]
    path = tmp_path / "RESULTS.md"
    sections = {
        "A": section("A", "how | and why", "when", table(rows)),
        "B": section("B", "how", "when", "| 1 |"),
    }
    for _ in range(2):  # the second time it is there already
        write_sections(path, sections, order=["A", "B"])
        assert read_sections(path) == sections
    (found,) = summary(sections.values())
    assert "2 of 3 numbers" in found
    assert found.rstrip().splitlines()[-3:] == [
        "| A | index | ≥ 3 × | **2** × | tantivy | **no** |",
        "| A | memory | ≤ 600 | 500 MB | – | yes |",
        "| A | search | ≥ 1000 | 1,200 requests/s | – | yes |",
    ]
    text = path.read_text(encoding="utf-8")
    assert text.index(found) < text.index("## A\n")


def test_the_first_table_shows_the_worst_of_what_is_asked_for_alike() -> None:
    def row(work: str, ours: float, peer: str) -> Row:
        return Row(work, "ms", Figure(ours, ours), peer, Figure(6, 6), times(2))

    rows = [row("b", 2, "p, ε = 0.1"), row("c", 4, "q"), row("a", 4, "p, ε = 0.2")]
    rows += [Row(work, "ms", Figure(at, at), goal=at_most(5)) for work, at in (("d", 4), ("e", 5))]
    (found,) = summary([section("A", "how", "when", table(rows))])
    assert "3 of 5 numbers" in found
    assert found.rstrip().splitlines()[-3:] == [
        "| A | a (worst of 2) | ≥ 2 × | **1.5** × | p | **1 of 2** |",
        "| A | c | ≥ 2 × | **1.5** × | q | **no** |",
        "| A | e (worst of 2) | ≤ 5 | 5 ms | – | yes |",
    ]


def test_peak_memory_is_the_childs_own() -> None:
    ballast = bytearray(b"x" * (200 << 20))
    assert peak_memory("pass") < 100 << 20 < len(ballast)
    assert peak_memory("held = b'x' * (int(sys.argv[1]) << 20)", "150") > 150 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets an earlier mark")
def test_memory_is_that_of_the_work_and_not_of_what_was_before() -> None:
    def holding(megabytes: int) -> int:
        return len(b"x" * (megabytes << 20))

    holding(400)
    timings = take_turns({"much": lambda: holding(200), "little": lambda: holding(1)}, rounds=1)
    much, little = (timings[name].rate(1).memory or 0.0 for name in ("much", "little"))
    assert 190 < much - little < 220


def test_a_server_holds_what_its_processes_hold() -> None:
    program = "import time; held = b'x' * (100 << 20); print(flush=True); time.sleep(60)"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            assert child.pid in family(os.getpid())
            assert (HighWater(child.pid).megabytes or 0) > 100
        finally:
            child.kill()


def test_every_benchmark_has_a_file() -> None:
    files = {path.stem for path in BENCHMARKS.glob("bench_*.py")} - ON_A_CARD
    assert files == set(run.BENCHMARKS.values())


@pytest.mark.parametrize("name", sorted(run.BENCHMARKS.values()))
def test_every_benchmark_has_a_quick_form(name: str) -> None:
    """All ask the workspace what to measure and how often, which says less where that is wanted."""
    text = (BENCHMARKS / f"{name}.py").read_text("utf-8")
    assert re.search(r"workspace\.(quick|rounds\(|documents\(|news|arxiv)", text)


def test_what_needs_a_larger_machine_is_said_and_not_counted() -> None:
    rows = [
        needs_cores(16, "scores, 16 threads", "G/s", times(7), "one thread"),
        Row("memory", "MB", Figure(500, 500), goal=at_most(600)),
    ]
    (found,) = summary([section("A", "how", "when", table(rows))])
    assert "1 of 1 numbers" in found
    assert "1 more need a larger machine" in found
    shown = "| A | scores, 16 threads | ≥ 7 × | – | one thread | needs 16 cores |"
    assert shown in found.splitlines()


def test_tables_of_a_larger_machine_stand_beside_the_usual_ones(tmp_path: Path) -> None:
    asked = [needs_cores(16, "scores, 16 threads", "G/s", times(7), "one thread")]
    there = [
        Row(
            "scores, 16 threads",
            "G/s",
            Figure(9, 9),
            "one thread",
            Figure(1, 1),
            times(7),
            more=True,
        )
    ]
    sections = {
        name: section(name, "how", "when", table(rows))
        for name, rows in {"B": [], "A (16 cores)": there, "A": asked}.items()
    }
    results = tmp_path / "RESULTS.md"
    write_sections(results, sections, ["A", "B"])
    assert [*read_sections(results)] == ["A", "A (16 cores)", "B"]
    (glance,) = summary(sections.values())
    assert "1 of 1 numbers" in glance
    assert "needs 16 cores" not in glance


def test_one_that_fails_leaves_the_others_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(title: str, _: Workspace, machine: str) -> str:
        if title == "Readers":
            raise ZeroDivisionError
        return section(titled(title, machine), "how", "when", table([]))

    monkeypatch.setattr(run, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(run, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["run.py", "indexing", "readers", "products"])
    assert run.main() == 1
    assert [*read_sections(tmp_path / "RESULTS.md")] == ["Indexing", "Products"]
    assert "without a table: readers" in capsys.readouterr().err


def test_how_long_each_took_is_told_and_all_of_them() -> None:
    told = run.spent({"readers": run.Took(2, 3), "indexing": run.Took(40, 70)}).splitlines()
    assert told == [
        "indexing: 40 s, 70 s of the processor",
        "readers: 2 s, 3 s of the processor",
        "in all: 42 s, 73 s of the processor",
    ]


def test_a_quick_run_leaves_the_results_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "RESULTS.md"
    monkeypatch.setattr(run, "RESULTS", results)
    monkeypatch.setattr(run, "measure", lambda *_: section("Readers", "how", "when", table([])))
    monkeypatch.setattr(sys, "argv", ["run.py", "readers", "--quick"])
    assert run.main() == 0
    assert not results.exists()
    told = capsys.readouterr()
    assert "## Readers" in told.out
    assert "in all: 0 s" in told.err


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.parse(["indexing", "speed"])
    assert "no benchmark is called speed" in capsys.readouterr().err


def test_absent_data_is_said(tmp_path: Path) -> None:
    with pytest.raises(LeftOutError, match="is not there"):
        _ = Workspace(tmp_path / "none", tmp_path, quick=True).arxiv


def test_repeated_documents_have_ids_of_their_own() -> None:
    lines = [b'{"id": "a", "text": "x"}\n']
    assert list(renamed(lines, 3)) == [b'{"id": "3/a", "text": "x"}\n']
    with pytest.raises(LeftOutError, match="a line starts with"):
        list(renamed([b'{"text": "x"}\n'], 0))


def test_size_on_disk_counts_files_in_folders_too(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"45")
    assert size_on_disk(tmp_path) == 5


def test_what_wrk_prints() -> None:
    report = (
        "  Latency Distribution\n     50%  812.00us\n     75%    1.10ms\n     99%    1.43s \n"
        "  140 requests in 3.01s, 1.01MB read\n"
        "  Socket errors: connect 0, read 1, write 0, timeout 2\n"
        "  Non-2xx or 3xx responses: 4\nRequests/sec:     46.48\n"
    )
    assert read_wrk(report) == Load(46.48, 812e-6, 1.43, 7)


def test_the_small_generator() -> None:
    seen: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split()[0] or 0)
            seen.append(line.split()[1] + await reader.readexactly(length))
            status = b"200 OK" if line.startswith(b"POST") else b"404 Not Found"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
        writer.close()

    async def measure() -> tuple[list[float], int, float]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        requests = [Request("POST", "/a", "{}"), Request("PUT", "/b", "[]")]
        async with server:
            return await by_sockets(f"http://127.0.0.1:{port}", requests, 2, 0.05)

    times, errors, _ = asyncio.run(measure())
    assert seen[:2] in ([b"/a{}", b"/b[]"], [b"/b[]", b"/a{}"])
    assert errors >= 1
    assert len(times) > errors
    assert min(times) > 0
