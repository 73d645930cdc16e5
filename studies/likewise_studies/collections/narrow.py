"""Topics of a handful of documents: `python -m likewise_studies.collections.narrow DATA`.

What `auto` does with narrow topics was chosen on such, beside the development halves. None is in a
table, whose labels have 20 documents or more: tags of Debian and topics of Reuters of at most 19,
both also cut to their first words, and Debian's packages by the source they are built from.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from likewise.evaluation.by_example import experiment
from likewise.evaluation.by_example.collection import Collection
from likewise_studies.collections.data import FOLDERS, SIZES, Record, _checksum, _lines, records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEAST, MOST = 4, 19  # documents of a topic
TOPICS = 60  # at most, evenly spread over their names in order
METHODS = ("auto", "rocchio", "auto-words", "auto-titles")
SHORT = 20  # words
PACKAGES = 12_000  # of all, in their order


def main(data: Path) -> None:
    print(f"| topics | examples | number | {' | '.join(METHODS)} |")
    print("|---" * (3 + len(METHODS)) + "|")
    for name, found in _collections(data):
        for size in SIZES:
            enough = [t for t, members in found.topics.items() if len(members) >= 2 * size]
            if len(enough) >= LEAST:
                means = [_mean(found, method, size, enough) for method in METHODS]
                shown = " | ".join(f"{mean:.3f}" for mean in means)
                print(f"| {name} | {size} | {len(enough)} | {shown} |", flush=True)


def _mean(found: Collection, method: str, size: int, topics: Iterable[str]) -> float:
    jobs = [{"method": method, "size": size, "topic": topic, "seed": 0} for topic in topics]
    return fmean(experiment.run(job, found)["AP"] for job in jobs)


def _collections(data: Path) -> Iterator[tuple[str, Collection]]:
    for name in ("debian", "reuters"):
        whole = list(records(name, data / FOLDERS[name]))
        first = [r._replace(title="", text=_cut(f"{r.title} {r.text}")) for r in whole]
        checksum = _checksum(data / FOLDERS[name])
        yield f"rare in {name}", _collection(f"narrow-{name}", checksum, whole)
        yield f"rare in {name}, {SHORT} words each", _collection(f"short-{name}", checksum, first)
    folder = data / FOLDERS["debian"]
    packages = [
        Record(one["id"], "", _cut(one["text"]), (one["source"],))
        for one in _lines(folder / "docs.jsonl.gz")
        if one.get("text")
    ][:PACKAGES]
    yield "sources of Debian", _collection("narrow-sources", _checksum(folder), packages)


def _cut(text: str) -> str:
    return " ".join(text.split()[:SHORT])


def _collection(name: str, checksum: str, found: list[Record]) -> Collection:
    members: dict[str, list[int]] = {}
    for number, record in enumerate(found):
        for topic in record.topics:
            members.setdefault(topic, []).append(number)
    rare = sorted(topic for topic, numbers in members.items() if LEAST <= len(numbers) <= MOST)
    step = max(1.0, len(rare) / TOPICS)
    chosen = [rare[int(i * step)] for i in range(min(TOPICS, len(rare)))]
    topics = {topic: np.array(members[topic], np.int64) for topic in chosen}
    ids, titles, texts = ([getattr(one, field) for one in found] for field in Record._fields[:3])
    return Collection(name, checksum, ids, titles, texts, topics)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
