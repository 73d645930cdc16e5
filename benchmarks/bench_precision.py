"""The latent space in a byte a number beside single precision: what is found, and how fast."""

from __future__ import annotations

import shutil
from functools import partial
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from harness import Figure, take_turns
from likewise import Index
from likewise.corpus import Stored
from likewise.engines import engine_of
from likewise.evaluation import measures
from likewise.evaluation.by_example.experiment import draw
from likewise.evaluation.scores import all_scores, quiet
from likewise.store import views
from likewise.views.latent import DIMENSIONS
from likewise.views.precision import packed
from likewise.weighting import WEIGHTINGS
from problems import labelled
from rows import Row, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.views.precision import Precision
    from problems import Labelled
    from workspace import Workspace

METHOD = (
    "An index of 20 Newsgroups and one of the first 40,000 arXiv abstracts, each with the latent "
    "space stored as int8 with a factor a row and as float32 (the model behind it likewise); a "
    "topic's documents are found from 5 or 20 of them, two draws for each of 20 topics: the "
    "groups, and every so many-th of the categories with 40 to 3,000 documents here. Mean AP and "
    "P@10, by auto, and by ba and Rocchio over words and latent space. The same of the default "
    "number of dimensions beside 200. Means of 40 queries differ by more than a thousandth with "
    "any change, up as well as down: so 0.999 × is asked for of the mean over all rows. "
    "Passes: 300,000 random rows of 200 dimensions, larger than any cache."
)
PACKAGES = ("likewise", "numpy")
PRECISIONS: tuple[Precision, ...] = ("int8", "float32")
OURS = "default"  # bytes, and the default number of dimensions
ASKED = times(0.999)
ARXIV, FEWEST, MOST, TOPICS = 40_000, 40, 3_000, 20
QUICK_TOPICS = 4
SIZES, SEEDS = (5, 20), (0, 1)
METHODS = {"auto": {}, "ba": {"views": "words,latent"}, "rocchio": {"views": "words,latent"}}
MEASURES = [measures.parse(name) for name in ("AP", "P@10")]
ROWS, WIDTH, ROUNDS = 300_000, 200, 15


def rows(workspace: Workspace) -> list[Row]:
    some = workspace.directory / "arxiv-some.jsonl"
    with workspace.arxiv.open("rb") as lines, some.open("wb") as out:
        out.writelines(islice(lines, ARXIV))
    compared = [
        *found(workspace, "20 Newsgroups", workspace.news),
        *found(workspace, f"arXiv, {ARXIV:,}", some),
    ]
    return [*compared, *overall(compared), *passes(workspace)]


def found(workspace: Workspace, name: str, source: Path) -> Iterator[Row]:
    documents = labelled(source)
    ids = list({document.id: None for document in documents})
    topics = topics_of(documents, ids, QUICK_TOPICS if workspace.quick else TOPICS)
    base = workspace.fresh("precision.idx")
    Index.create(base, latent=0).add(source)
    indexes = {
        OURS: with_latent(workspace, base, "int8"),
        "float32": with_latent(workspace, base, "float32"),
        f"{WIDTH} dimensions": with_latent(workspace, base, "int8", WIDTH),
    }
    for method in METHODS:
        for size in SIZES[:1] if workspace.quick else SIZES:
            means = {
                what: effect(index, ids, topics, method, size) for what, index in indexes.items()
            }
            for other in (what for what in means if what != OURS):
                for i, measure in enumerate(("MAP", "P@10")):
                    ours, theirs = (Figure(means[w][i], means[w][i]) for w in (OURS, other))
                    work = f"{name}, {method}, {size} examples"
                    yield Row(work, measure, ours, other, theirs, more=True)


def overall(compared: list[Row]) -> Iterator[Row]:
    """The mean over all rows that have the same peer."""
    for peer in dict.fromkeys(row.peer for row in compared):
        alike = [row for row in compared if row.peer == peer and row.unit == "MAP"]
        ours, theirs = mean(row.ours for row in alike), mean(row.theirs for row in alike)
        yield Row("mean of all of these", "MAP", ours, peer, theirs, ASKED, more=True)


def mean(figures: Iterable[Figure]) -> Figure:
    value = fmean(figure.median for figure in figures)
    return Figure(value, value)


def topics_of(
    documents: list[Labelled], ids: list[str], number: int
) -> dict[str, NDArray[np.int64]]:
    place = {id: number for number, id in enumerate(ids)}
    members: dict[str, set[int]] = {}
    for document in documents:
        for topic in (*document.cats, document.label):
            members.setdefault(topic, set()).add(place[document.id])
    fit = [topic for topic in sorted(members) if topic and FEWEST <= len(members[topic]) <= MOST]
    chosen = fit[:: max(1, len(fit) // number)][:number]
    return {topic: np.array(sorted(members[topic])) for topic in chosen}


def with_latent(
    workspace: Workspace, base: Path, precision: Precision, dimensions: int = DIMENSIONS
) -> Index:
    target = workspace.fresh(f"precision-{precision}-{dimensions}.idx")
    shutil.copytree(base, target)
    views.learn(target, dimensions, threads=2, precision=precision)
    return Index.open(target)


def effect(
    index: Index, ids: list[str], topics: dict[str, NDArray[np.int64]], method: str, size: int
) -> NDArray[np.float64]:
    """Mean AP and P@10."""
    values = []
    for topic, members in topics.items():
        for seed in SEEDS:
            examples = draw(members, size, topic, seed)
            with quiet():
                query = index.learn([ids[i] for i in examples], method=method, **METHODS[method])
            rest = np.setdiff1d(np.arange(len(ids)), examples)
            relevant = np.isin(rest, members)
            ranking = measures.ranked(all_scores(query)[rest], relevant)
            values.append([measure(ranking, len(members) - size) for measure in MEASURES])
    return np.mean(values, axis=0)


def passes(workspace: Workspace) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((workspace.documents(ROWS), WIDTH), np.float32)
    w, a = rng.standard_normal(WIDTH), rng.standard_normal(len(numbers))
    for threads in (1, 2):
        corpora = {}
        for precision in PRECISIONS:
            stored = packed(numbers, precision)
            kept = Stored(stored.numbers, WIDTH, factors=stored.factors)
            collection = engine_of("local").collection([kept], WIDTH, threads)
            corpora[precision] = collection.corpus(WEIGHTINGS["raw"])
        for name, product, vector in (
            ("scores, float32 vector", "scores", w.astype(np.float32)),
            ("scores", "scores", w),
            ("weighted_sum", "weighted_sum", a),
        ):
            work = {p: partial(getattr(corpora[p], product), vector) for p in PRECISIONS}
            timings = take_turns(work, workspace.rounds(ROUNDS))
            ours, theirs = (timings[p].rate(len(numbers) / 1e6) for p in PRECISIONS)
            label = f"{name}, {threads} thread{'s' * (threads > 1)}"
            yield Row(label, "M rows/s", ours, "float32", theirs, more=True)
