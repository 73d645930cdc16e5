"""Examples from one part of a collection, another searched: what `auto` makes of all views.

20 Newsgroups as LIBSVM has it and Reuters-21578 in ModApte's split, beside the best number of Zhang
& Lee (2009), and 20 Newsgroups by date, where examples are older than what is searched. Half of the
topics are for development, the others for the report.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise import measures
from likewise.auto import Given, Plan, choose
from likewise.corpora import LATENT
from likewise.document import Document
from likewise.index import Index
from likewise.named import Options
from likewise.rounds import carry_out
from likewise.solvers.blocks import Blocks
from likewise.tables import cache, provenance, qbme_data
from likewise.tables.asking import quiet
from likewise.tables.parts_sections import sections
from likewise.tables.values import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.tables.values import Job, Numbers

__all__ = ["jobs", "run", "sections"]

VERSION = 1

AUTO = ("auto, all views", "auto, words", "auto, counts")
COSTS = (0.3, 1.0, 3.0)
FIXED = {
    f"{method}, {cost:g} per example": (method, cost)
    for method in ("ba", "steady")
    for cost in COSTS
}
METHODS = (*AUTO, "rocchio", *FIXED)
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
    "news20": Source("qbme/news20", qbme_data.SOURCES["news20"].topics, slice(1, None, 2)),
    "reuters": Source("qbme/reuters21578", qbme_data.REUTERS, slice(1, None, 2)),
    "20news by date": Source("qbme/news20", BY_DATE, slice(1, None, 3)),
}


class Split(NamedTuple):
    """All documents, their labels, and which of them examples are taken from."""

    documents: Index
    labels: list[frozenset[str]]
    before: NDArray[np.bool_]


def jobs(seeds: int) -> list[Job]:
    return [
        {
            "data": source.folder,
            "set": name,
            "half": "report" if topic in source.topics[source.report] else "development",
            "method": method,
            "topic": topic,
            "seed": seed,
        }
        for name, source in SOURCES.items()
        for method in METHODS
        for topic in source.topics
        for seed in range(seeds if name == "news20" else 1)
    ]


def run(job: Job, data: Path) -> Numbers:
    split = load(job["set"], data, job["seed"])
    relevant = np.array([job["topic"] in labels for labels in split.labels])
    examples, searched = np.flatnonzero(split.before & relevant), np.flatnonzero(~split.before)
    weighting, plan = _plan(job["method"], len(examples), len(searched))
    rows = split.documents.searcher.corpora.stacked(weighting, plan.factors)
    corpus = rows.take(np.concatenate([examples, searched]))
    blocks = Blocks(np.arange(len(examples)), np.arange(len(examples), corpus.shape[0]))
    with quiet() as caught:
        solution = carry_out(
            corpus, blocks, plan, plan.options(Options(tol=None if job["method"] in AUTO else 1e-3))
        )
    ranking = measures.ranked(corpus.scores(solution.w)[len(examples) :], relevant[searched])
    found = int(relevant[searched].sum())
    values = {str(m): m(ranking, found) for m in map(measures.parse, ("AP", "P@10", "Rprec"))}
    return {**values, "examples": len(examples), "relevant": found, "converged": float(not caught)}


def _plan(method: str, examples: int, documents: int) -> tuple[str, Plan]:
    """The weighting of words, and what is done with them and with the other views."""
    if method in AUTO:
        views = [LATENT] if method == "auto, all views" else []
        plan = choose(Given(examples, documents, 0, views))
        return ("counts" if method == "auto, counts" else "tfidf"), plan
    name, cost = FIXED.get(method, (method, None))
    return "tfidf", Plan(name, C_per_example=cost)


@lru_cache(maxsize=1)
def load(name: str, data: Path, seed: int) -> Split:
    folder = data / SOURCES[name].folder
    made, labels, before = (
        _by_date(folder) if name == "20news by date" else _counts(name, data, seed)
    )

    def build(place: Path) -> None:
        Index.create(place / "index").add(made, strict=True, **_reading(name))

    state = f"{provenance.checksum(folder)}-{provenance.code()}"
    place = cache.kept(f"parts-{name.replace(' ', '-')}", state, build)
    return Split(Index.open(place / "index"), labels, before)


def _reading(name: str) -> dict[str, Any]:
    return {} if name == "20news by date" else {"format": "svmlight"}


def _counts(name: str, data: Path, seed: int) -> tuple[Any, list[frozenset[str]], Any]:
    """Files of counts, whose rows are documents in this order."""
    halves = qbme_data.load(name, "counts", data, seed)
    source = qbme_data.SOURCES[name]
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
