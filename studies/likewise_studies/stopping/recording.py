"""Screenings by the product's ranker, recorded once; rules are evaluated from the records.

A screening starts from one relevant and one other record, drawn by the seed, and goes on by pages
of ten to the last record. Both are left out of all counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from likewise.evaluation import cache, provenance
from likewise.evaluation.simulation import Setting, draw_priors, read, replay
from likewise.feedback import Ranker, Start

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.evaluation.simulation import Collection

RANKED, MIXED, ENSEMBLE = "ranked", "mixed", "ensemble"
VERSIONS = {RANKED: 2, MIXED: 2, ENSEMBLE: 1}
PAGE = 10
MOMENTS = 40
EVERY = 10  # of a mixed screening's pages one is random
MEMBERS = (("auto", None), ("auto", "tfidf"), ("rocchio", None), ("centroid", None))


class Moment(msgspec.Struct):
    judged: int
    found: int
    chances: tuple[float, float, float, float] | None = None
    """Σ p of those judged and of all, Σ p·(1 − p) of both."""
    captures: tuple[int, ...] = ()
    """Relevant records found by one ranking, by two …"""


class Recording(msgspec.Struct):
    documents: int
    relevant: int
    ranks: list[int]
    """Of each relevant record: how many were judged before it."""
    draws: list[tuple[int, int]]
    """Random pages: how many were judged before, and how many records it has."""
    moments: list[Moment]


def recording(path: Path, kind: str, seed: int) -> Recording:
    """A screening; kept in the cache, since many rules look at it."""
    state = f"{provenance.checksum(path.parent)}-{VERSIONS[kind]}"
    name = f"stopping/{path.parent.name}-{kind}-{seed}"
    folder = cache.kept(
        name,
        state,
        lambda place: _write(place, _make(path, kind, seed)),
    )
    return msgspec.json.decode((folder / "recording.json").read_bytes(), type=Recording)


def _write(place: Path, made: Recording) -> None:
    (place / "recording.json").write_bytes(msgspec.json.encode(made))


def _make(path: Path, kind: str, seed: int) -> Recording:
    collection = _collection(path)
    if kind == ENSEMBLE:
        return _ensemble(collection, seed)
    return _screening(collection, seed, mixed=kind == MIXED)


@lru_cache(maxsize=1)
def _collection(path: Path) -> Collection:
    """The records as terms, for all seeds; the files of their index are gone but mapped."""
    with read(path, threads=1) as collection:
        replay(collection, Setting(most=1))  # maps what is needed
        replay(collection, Setting(most=1, weighting="tfidf"))
    return collection


def moments(documents: int) -> list[int]:
    """Numbers of records judged: ever farther apart, at the ends of pages."""
    spaced = np.geomspace(PAGE, max(documents - PAGE, PAGE), MOMENTS)
    return sorted({int(PAGE * round(at / PAGE)) for at in spaced})


def _screening(collection: Collection, seed: int, *, mixed: bool) -> Recording:
    relevant = collection.relevant
    ranker = Ranker(collection.index.searcher, Start(None), seed=seed)
    priors = draw_priors(collection, Setting(), seed)
    for number in priors:
        ranker.situation.judge(number, bool(relevant[number]))
    documents = len(relevant) - len(priors)
    wanted, rng = set(moments(documents)), np.random.default_rng([seed, 1])
    order: list[int] = []
    draws: list[tuple[int, int]] = []
    seen: list[Moment] = []
    pages = 0
    while ranker.situation.unjudged.any():
        pages += 1
        if mixed and pages % EVERY == 0:
            left = np.flatnonzero(ranker.situation.unjudged)
            page = rng.permutation(left)[:PAGE].tolist()
            draws.append((len(order), len(page)))
        else:
            page = [number for number, _ in ranker.best(PAGE)]
        for number in page:
            ranker.situation.judge(number, bool(relevant[number]))
        order += page
        if len(order) in wanted:
            found = int(relevant[order].sum())
            chances = None if mixed else _chances(ranker, relevant, order, priors)
            seen.append(Moment(len(order), found, chances))
    ranks = np.flatnonzero(relevant[order]).tolist()
    return Recording(documents, len(ranks), ranks, draws, seen)


def _chances(
    ranker: Ranker, relevant: np.ndarray, order: Sequence[int], priors: Sequence[int]
) -> tuple[float, float, float, float]:
    """Platt's sigmoid of the ranker's scores, fitted to the records judged so far."""
    from sklearn.linear_model import LogisticRegression

    every = np.ones(len(relevant), np.bool_)
    scores = np.zeros((len(relevant), 1))
    for number, score in ranker.best(len(relevant), every):
        scores[number] = score
    known = [*priors, *order]
    model = LogisticRegression(C=1e4).fit(scores[known], relevant[known])
    p = model.predict_proba(scores)[:, 1]
    p_judged = p[list(order)]
    every[list(priors)] = False
    p = p[every]
    return (
        float(p_judged.sum()),
        float(p.sum()),
        float((p_judged * (1 - p_judged)).sum()),
        float((p * (1 - p)).sum()),
    )


def _ensemble(collection: Collection, seed: int) -> Recording:
    """Several rankings by words, which search for themselves, page by page.

    What one has had judged costs the others nothing. A moment is when each has had so many.
    """
    relevant = collection.relevant
    settings = [Setting(method=m, weighting=w, page_size=PAGE, views={}) for m, w in MEMBERS]
    orders = [np.array(replay(collection, one, seed).order) for one in settings]
    documents = len(relevant) - len(draw_priors(collection, settings[0], seed))
    total = int(relevant.sum()) - 1
    seen = []
    for each in moments(documents):
        times = np.zeros(len(relevant), np.int64)
        for order in orders:
            times[order[:each]] += 1
        counts = np.bincount(times[relevant], minlength=len(orders) + 1)[1:]
        captures = tuple(counts.tolist())
        seen.append(Moment(int((times > 0).sum()), sum(captures), None, captures))
    return Recording(documents, total, [], [], seen)
