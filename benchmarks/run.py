"""Run benchmarks and write RESULTS.md: `python benchmarks/run.py [NAME...] [--quick]`."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import setting
from results import read_sections, section, table, titled, write_sections
from workspace import LeftOutError, Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def main() -> int:
    options = parse()
    earlier = read_sections(RESULTS)
    left_out = []
    with tempfile.TemporaryDirectory(prefix="likewise-bench-") as directory:
        workspace = Workspace(options.data, Path(directory), quick=options.quick)
        for name in options.names or NAMES:
            began = time.perf_counter()
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
            print(written, flush=True)
            print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
            if not options.quick:
                earlier[titled(NAMES[name], options.machine)] = written
                write_sections(RESULTS, earlier, BENCHMARKS)
    if left_out:
        print(f"without a table: {', '.join(left_out)}", file=sys.stderr)
    return 1 if left_out else 0


def measure(title: str, workspace: Workspace, machine: str) -> str:
    """A benchmark's section."""
    print(f"{title} ...", file=sys.stderr, flush=True)
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
        "--quick", action="store_true", help="little data, two rounds; only printed, not written"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
