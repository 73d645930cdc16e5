"""150,000 arXiv abstracts, each once, and 40 of their categories as topics."""

from __future__ import annotations

import bz2
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.evaluation import provenance
from likewise.evaluation.by_example.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.evaluation.studies import Job

FOLDER = "corpora/arxiv150k"
SIZES = (1, 2, 5, 10, 20, 50, 100, 300)

# Of the categories with 100 to 5,000 documents (complete ones, after duplicates are dropped), by
# size, every 2.7th; how many documents each has in the whole and among the first 15,000. Those in
# even places are the development half, on which `auto` may be tuned, the others the report half.
CATEGORIES: dict[str, tuple[int, int]] = {
    "math.RT": (4717, 533),
    "math.GR": (3974, 430),
    "math.QA": (3684, 372),
    "cond-mat.other": (3479, 376),
    "physics.comp-ph": (3196, 322),
    "cs.CR": (3168, 336),
    "nlin.CD": (3028, 330),
    "cs.DC": (2638, 249),
    "cs.LO": (2572, 249),
    "cs.SY": (2439, 248),
    "physics.gen-ph": (2272, 247),
    "math.LO": (2212, 222),
    "math.MG": (1921, 197),
    "cs.CC": (1801, 165),
    "nlin.PS": (1735, 181),
    "cs.SE": (1690, 167),
    "physics.class-ph": (1589, 162),
    "eess.SP": (1531, 159),
    "q-bio.NC": (1470, 158),
    "nlin.AO": (1265, 147),
    "cs.DB": (1138, 127),
    "stat.CO": (1110, 118),
    "cs.CG": (1078, 104),
    "math.GN": (894, 96),
    "physics.med-ph": (844, 95),
    "cs.SD": (819, 76),
    "q-bio.MN": (737, 80),
    "math.GM": (701, 62),
    "eess.AS": (601, 58),
    "math.HO": (566, 62),
    "cs.PF": (523, 51),
    "q-fin.GN": (507, 65),
    "cs.ET": (447, 40),
    "cs.AR": (372, 25),
    "q-bio.TO": (344, 32),
    "q-fin.MF": (329, 35),
    "nlin.CG": (299, 21),
    "q-fin.TR": (266, 23),
    "q-bio.OT": (213, 24),
    "econ.GN": (115, 15),
}


class _Record(msgspec.Struct):
    id: str
    title: str
    text: str
    cats: list[str]


def jobs(methods: tuple[str, ...], seeds: int, *, part: bool) -> list[Job]:
    """Every method, size, topic and seed; a topic has at least twice as many as examples."""
    return [
        {
            "data": FOLDER,
            "half": half,
            "method": method,
            "size": size,
            "topic": topic,
            "seed": seed,
        }
        for half in ("development", "report")
        for size in SIZES
        for method in methods
        for topic in topics(half)
        if CATEGORIES[topic][part] >= 2 * size
        for seed in range(seeds)
    ]


def topics(half: str) -> list[str]:
    return list(CATEGORIES)[0 if half == "development" else 1 :: 2]


@lru_cache(maxsize=1)
def collection(data: Path, documents: int | None = None) -> Collection:
    """The first so many documents, or all; an index and vectors of them are kept."""
    folder = data / FOLDER
    found = _read(folder / "docs.jsonl.bz2")[:documents]
    members: dict[str, list[int]] = {topic: [] for topic in CATEGORIES}
    for number, document in enumerate(found):
        for topic in members.keys() & set(document.cats):
            members[topic].append(number)
    numbers = {topic: np.array(sorted(found), np.int64) for topic, found in members.items()}
    name = f"arxiv-{documents or 'all'}"
    ids, titles, texts = ([getattr(d, field) for d in found] for field in ("id", "title", "text"))
    return Collection(name, provenance.checksum(folder), ids, titles, texts, numbers)


def _read(path: Path) -> list[_Record]:
    """Each document once: some stand in the file under two spellings of their number."""
    with bz2.open(path, "rb") as file:
        records = msgspec.json.Decoder(_Record).decode_lines(file.read())
    once: dict[str, _Record] = {}
    for record in records:
        record.id = restored(record.id)
        once.setdefault(record.id, record)
    return list(once.values())


def restored(identifier: str) -> str:
    """An arXiv number that was once read as a decimal: 912.201 is 0912.2010.

    Numbers have four digits behind the point until the end of 2014, five since.
    """
    if not re.fullmatch(r"\d{3,4}\.\d+", identifier):
        return identifier
    digits = 5 if float(identifier) >= 1501 else 4
    return f"{float(identifier):0{5 + digits}.{digits}f}"
