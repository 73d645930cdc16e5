"""Make the bundled collection: python tools/make_sample.py ARXIV_DOCS.jsonl.bz2

Draws 2,000 abstracts: a quota of each topic, the rest from all, and keeps the source's order.
The same input gives the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import random
from pathlib import Path
from typing import Any

from likewise.datasets import ARXIV_TOPICS, arxiv_sample
from likewise_studies.arxiv.data import restored

SIZE = 2000
QUOTA = {
    "cond-mat.quant-gas": 90,
    "cs.CR": 90,
    "cs.IR": 110,
    "cs.RO": 70,
    "math.GT": 120,
    "physics.ao-ph": 60,
    "q-bio.PE": 80,
    "q-fin.ST": 50,
}
FIELDS = ("id", "title", "text", "cats", "primary", "created")


def read(source: Path) -> list[dict[str, Any]]:
    """The documents, each once: some stand in the source under two spellings of their number."""
    with bz2.open(source, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    once: dict[str, dict[str, Any]] = {}
    for document in documents:
        identifier = restored(document["id"])
        once.setdefault(identifier, {**document, "id": identifier})
    return list(once.values())


def choose(documents: list[dict[str, Any]], seed: int) -> list[int]:
    """Positions of the documents drawn, ascending."""
    generator = random.Random(seed)
    chosen: set[int] = set()
    for topic, quota in QUOTA.items():
        members = [i for i, document in enumerate(documents) if topic in document["cats"]]
        chosen.update(generator.sample(members, quota))
    rest = [i for i in range(len(documents)) if i not in chosen]
    chosen.update(generator.sample(rest, SIZE - len(chosen)))
    return sorted(chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="JSON lines, compressed with bzip2")
    parser.add_argument("-o", "--output", type=Path, default=arxiv_sample())
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    documents = read(arguments.source)
    chosen = [documents[i] for i in choose(documents, arguments.seed)]
    lines = [json.dumps({f: d[f] for f in FIELDS}, ensure_ascii=False) + "\n" for d in chosen]
    # No time and no file name in the header, so that the bytes depend on the content only.
    arguments.output.write_bytes(gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0))
    for topic, name in ARXIV_TOPICS.items():
        print(f"| {topic} | {name} | {sum(topic in d['cats'] for d in chosen)} |")


if __name__ == "__main__":
    main()
