"""The collections of `parts`: an index of all documents, and which of them give examples."""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.document import Document
from likewise.evaluation import cache, provenance
from likewise.evaluation.studies import MissingError
from likewise.index import Index
from likewise_studies.qbme import data as qbme

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Topics of 20 Newsgroups by date: every third was never looked at while `auto` was made.
BY_DATE = (
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
)


class Source(NamedTuple):
    folder: str
    topics: tuple[str, ...]
    report: slice  # places of the topics of the report half


SOURCES = {
    "news20": Source("qbme/news20", qbme.SOURCES["news20"].topics, slice(1, None, 2)),
    "reuters": Source("qbme/reuters21578", qbme.REUTERS, slice(1, None, 2)),
    "20news by date": Source("qbme/news20", BY_DATE, slice(1, None, 3)),
}


class Split(NamedTuple):
    """All documents, their labels, and which of them examples are taken from."""

    documents: Index
    labels: list[frozenset[str]]
    before: NDArray[np.bool_]


@lru_cache(maxsize=1)
def load(name: str, data: Path, seed: int) -> Split:
    folder = data / SOURCES[name].folder
    made, labels, before = (
        _by_date(folder) if name == "20news by date" else _counts(name, data, seed)
    )

    def build(place: Path) -> None:
        Index.create(place / "index").add(made, strict=True, **_reading(name))

    kept = f"parts-{name.replace(' ', '-')}"
    place = cache.kept_index(kept, provenance.checksum(folder), build)
    return Split(Index.open(place), labels, before)


def _reading(name: str) -> dict[str, Any]:
    return {} if name == "20news by date" else {"format": "svmlight"}


def _counts(name: str, data: Path, seed: int) -> tuple[Any, list[frozenset[str]], Any]:
    """Files of counts, whose rows are documents in this order."""
    halves = qbme.load(name, "counts", data, seed)
    source = qbme.SOURCES[name]
    return [data / source.folder / file for file in source.files], halves.labels, halves.before


def _by_date(folder: Path) -> tuple[Any, list[frozenset[str]], Any]:
    path = folder / "20news-bydate.jsonl.gz"
    if not path.exists():
        raise MissingError(f"there is no file {path.name} in {folder}")
    with gzip.open(path, "rb") as lines:
        records = [msgspec.json.decode(line) for line in lines]
    documents = [Document(id=str(n), text=r["text"]) for n, r in enumerate(records)]
    before = np.array([record["split"] == "train" for record in records])
    return documents, [frozenset([record["label"]]) for record in records], before
