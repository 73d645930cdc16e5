"""Runs every kind of trial for some time, and writes what was tried into docs/reliability.md.

    python tests/torture/run.py [--minutes 10] [--seed N] [--write] [KIND …]

Exit status 1 if anything did not stand; each such line says how to see it again.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # in a fork it starts threads anew, or ends the process
sys.path.insert(0, str(Path(__file__).parent.parent))

KINDS = ("kills", "migrations", "torn", "flips", "fuzz", "requests", "limits")


def main() -> int:
    options = parse()
    seconds = 60 * options.minutes / len(options.kinds)
    rows, failures = [], []
    for kind in options.kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"torture-{kind}-") as folder:
            trials = importlib.import_module(f"torture.{kind}")
            tally = trials.run(Path(folder), seconds, options.seed)
        for what, times in tally.tried.items():
            rows.append((what, times))
            print(f"{times:>9,}  {what}", flush=True)
        print(f"           ({kind}: {time.monotonic() - began:.0f} s)", flush=True)
        failures += [f"{kind}: {failure}" for failure in tally.failures]
    for failure in failures:
        print(failure, file=sys.stderr)
    if options.write and not failures:
        from torture.report import write

        write(rows, options.minutes, options.seed)
    return int(bool(failures))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try to lose something.")
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--minutes", type=float, default=10.0, help="for all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write counts to docs/reliability.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
