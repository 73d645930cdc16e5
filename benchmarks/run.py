"""Run benchmarks and write RESULTS.md: `python benchmarks/run.py [NAME...] [--quick]`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import setting
from results import read_sections, section, table, titled, write_sections
from workspace import LeftOutError, Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
BENCHMARKS = {
    "Indexing": "bench_indexing",
    "Readers": "bench_readers",
    "Memory of indexing": "bench_memory",
    "Reading references": "bench_references",
    "Size on disk": "bench_size",
    "Products": "bench_products",
    "Shards": "bench_shards",
    "Cluster": "bench_cluster",
    "Keyword search": "bench_keywords",
    "Start-up": "bench_startup",
    "Training": "bench_training",
    "Training against size": "bench_growth",
    "Ranking": "bench_ranking",
    "From examples to the top 10": "bench_examples",
    "Methods": "bench_methods",
    "Sparsity of queries": "bench_sparsity",
    "Over HTTP": "bench_server",
    "Over HTTP by several processes": "bench_workers",
    "From a file to a search": "bench_start",
    "Feedback": "bench_feedback",
    "Judging in the browser": "bench_judging",
    "Latent space": "bench_latent",
    "Duplicates": "bench_duplicates",
    "Latent space in bytes": "bench_precision",
    "Embedding": "bench_embedding",
}
NAMES = {module.removeprefix("bench_"): title for title, module in BENCHMARKS.items()}


class Took(NamedTuple):
    """Seconds on the clock, and those of the processor: of this process and those that it ran."""

    clock: float
    processor: float

    @classmethod
    def now(cls) -> Took:
        return cls(time.perf_counter(), sum(os.times()[:4]))

    def since(self) -> Took:
        clock, processor = self.now()
        return Took(clock - self.clock, processor - self.processor)

    def __str__(self) -> str:
        return f"{self.clock:.0f} s, {self.processor:.0f} s of the processor"


def main() -> int:
    options = parse()
    earlier = read_sections(RESULTS)
    left_out: list[str] = []
    took: dict[str, Took] = {}
    with tempfile.TemporaryDirectory(prefix="likewise-bench-") as directory:
        workspace = Workspace(options.data, Path(directory), quick=options.quick)
        for name in options.names or NAMES:
            began = Took.now()
            try:
                written = measure(NAMES[name], workspace, options.machine)
            except LeftOutError as reason:
                left_out.append(name)
                print(f"{name} is left out: {reason}", file=sys.stderr)
                continue
            except Exception:  # the tables after it need not suffer
                left_out.append(name)
                print(f"{name} has failed:\n{traceback.format_exc()}", file=sys.stderr)
                continue
            finally:
                took[name] = began.since()
            print(written, flush=True)
            print(f"{name}: {took[name]}", file=sys.stderr, flush=True)
            if not options.quick:
                earlier[titled(NAMES[name], options.machine)] = written
                write_sections(RESULTS, earlier, BENCHMARKS)
    print(spent(took), file=sys.stderr)
    if left_out:
        print(f"without a table: {', '.join(left_out)}", file=sys.stderr)
    return 1 if left_out else 0


def spent(took: Mapping[str, Took]) -> str:
    """How long each benchmark took, the longest first, and all of them."""
    longest = sorted(took.items(), key=lambda one: -one[1].clock)
    each = [f"{name}: {seconds}" for name, seconds in longest]
    total = Took(*map(sum, zip(*took.values(), strict=True)))
    return "\n".join([*each, f"in all: {total}"])


def measure(title: str, workspace: Workspace, machine: str) -> str:
    """A benchmark's section."""
    print(f"{title} ...", file=sys.stderr, flush=True)
    os.sync()  # what the one before has left to write would keep a core busy
    try:
        benchmark = importlib.import_module(BENCHMARKS[title])
        rows = benchmark.rows(workspace)
    except ImportError as error:
        raise LeftOutError(f"{error}; install the peers with: pip install '.[bench]'") from error
    where = setting.describe(benchmark.PACKAGES)
    return section(titled(title, machine), benchmark.METHOD, where, table(rows))


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--data",
        type=Path,
        default=HERE.parent.parent / "shared" / "data",
        help="folder of the collections (%(default)s)",
    )
    parser.add_argument(
        "--machine",
        default="",
        metavar="WORDS",
        help="such as '16 cores': another machine, whose tables stand beside the usual ones",
    )
    parser.add_argument(
        "--quick", action="store_true", help="little data, one round; only printed, not written"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
