"""How well `auto` ranks beside the fixed methods: mean average precision on arXiv categories.

    python benchmarks/auto_quality.py DOCS.jsonl.bz2 [--documents 20000] [--half report]

The 40 categories are those of the arXiv table; what auto chooses by was found on the development
half. Examples are drawn at random, everything else is ranked.
"""

from __future__ import annotations

import argparse
import bz2
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise import Document, Index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CATEGORIES = [
    "math.RT",
    "math.GR",
    "math.QA",
    "cond-mat.other",
    "physics.comp-ph",
    "cs.CR",
    "nlin.CD",
    "cs.DC",
    "cs.LO",
    "cs.SY",
    "physics.gen-ph",
    "math.LO",
    "math.MG",
    "cs.CC",
    "nlin.PS",
    "cs.SE",
    "physics.class-ph",
    "eess.SP",
    "q-bio.NC",
    "nlin.AO",
    "cs.DB",
    "stat.CO",
    "cs.CG",
    "math.GN",
    "physics.med-ph",
    "cs.SD",
    "q-bio.MN",
    "math.GM",
    "eess.AS",
    "math.HO",
    "cs.PF",
    "q-fin.GN",
    "cs.ET",
    "cs.AR",
    "q-bio.TO",
    "q-fin.MF",
    "nlin.CG",
    "q-fin.TR",
    "q-bio.OT",
    "econ.GN",
]
HALVES = {"development": CATEGORIES[::2], "report": CATEGORIES[1::2]}
METHODS: dict[str, dict[str, Any]] = {
    "centroid": {"method": "centroid"},
    "rocchio": {"method": "rocchio"},
    "ba": {"method": "ba"},
    "steady": {"method": "steady"},
    "auto, words": {"views": "words"},
    "auto": {},
}


class Task(NamedTuple):
    topic: str
    size: int
    examples: list[str]
    members: set[str]


def read(path: Path, count: int) -> tuple[list[Document], dict[str, list[str]]]:
    """The first documents, each once, and the ids of each category's."""
    documents: dict[str, Document] = {}
    members: dict[str, list[str]] = defaultdict(list)
    with bz2.open(path) as lines:
        for line in lines:
            if len(documents) == count:
                break
            record = json.loads(line)
            content = f"{record['title']} {record['text']}"
            if content in documents:
                continue
            documents[content] = Document(record["id"], record["text"], record["title"])
            for topic in record["cats"]:
                members[topic].append(record["id"])
    return list(documents.values()), members


def tasks(
    members: dict[str, list[str]], topics: Sequence[str], sizes: Sequence[int], seeds: int
) -> Iterator[Task]:
    """A topic has at least twice as many documents as examples."""
    for size in sizes:
        for topic in topics:
            ids = members[topic]
            if len(ids) < 2 * size:
                continue
            for seed in range(seeds):
                random = np.random.default_rng([seed, size, CATEGORIES.index(topic)])
                chosen = random.choice(len(ids), size, replace=False)
                yield Task(topic, size, [ids[i] for i in chosen], set(ids))


def average_precision(index: Index, ids: list[str], task: Task, options: dict[str, Any]) -> float:
    query = index.learn(task.examples, **options)
    corpus = query.corpora.stacked(query.weighting, query.views)
    order = np.argsort(-corpus.scores(query.solution.w), kind="stable")
    shown = set(task.examples)
    ranking = [ids[i] for i in order.tolist() if ids[i] not in shown]
    ranks = np.flatnonzero([id in task.members for id in ranking]) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).mean())


def measure(index: Index, todo: Sequence[Task]) -> None:
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    ids = index.ids()
    for task in todo:
        for name, options in METHODS.items():
            found[name, task.size].append(average_precision(index, ids, task, options))
    sizes = list(dict.fromkeys(task.size for task in todo))
    print("examples     ", *(f"{size:6}" for size in sizes))
    for name in METHODS:
        print(f"{name:13}", *(f"{np.mean(found[name, size]):6.4f}" for size in sizes), flush=True)
    print("topics x seeds", *(f"{len(found['auto', size]):6}" for size in sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--sizes", default="1,2,5,10,20,50,100")
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    documents, members = read(given.docs, given.documents)
    with tempfile.TemporaryDirectory() as folder:
        index = Index.create(Path(folder) / "index")
        index.add(documents)
        sizes = [int(size) for size in given.sizes.split(",")]
        measure(index, list(tasks(members, HALVES[given.half], sizes, given.seeds)))


if __name__ == "__main__":
    main()
