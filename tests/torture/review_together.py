"""Two browsers and a terminal on one review: nothing is lost, nobody sees a record twice.

    python tests/torture/review_together.py [--judgements 1000] [--agree 1] [--database URL]

A server in a process of its own, two clients that ask as the page does, and `likewise review` in a
terminal, all at once in one session with a shared queue. Prints what was judged and how long it
took. Exit status 1, and a sentence, if anything that was acknowledged is not there, if somebody was
shown a record twice, or if a record was given to more reviewers than must agree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.working_together import check_together, work_together
from likewise import Index


def main() -> None:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--judgements", type=int, default=1000)
    parser.add_argument("--agree", type=int, default=1)
    parser.add_argument("--database")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = make(Path(folder) / "cats.idx", 2 * asked.judgements)
        began = time.perf_counter()
        done = work_together(path, asked.judgements, asked.agree, asked.database)
        took = time.perf_counter() - began
        made = check_together(path, *done, asked.agree, asked.database)
    clients, typed = done
    parts = [f"{one.reviewer} {len(one.said):,}" for one in clients] + [f"terminal {typed:,}"]
    print(
        f"{made:,} judgements ({', '.join(parts)}) in {took:.0f} s: nothing lost, none seen twice"
    )


def make(path: Path, documents: int) -> Path:
    """Records that are no duplicates of each other."""
    Index.create(path, threads=1).add(
        {"id": f"d{i}", "title": f"Record {i}", "text": f"cats {'dogs ' * (i % 7)} w{i} v{i * 7}"}
        for i in range(documents)
    )
    return path


if __name__ == "__main__":
    main()
