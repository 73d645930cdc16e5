"""Our methods and other programs behind one interface: examples in, scores of all documents out."""

from __future__ import annotations

import time
import warnings
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.evaluation.by_example import peers
from likewise.evaluation.by_example.minilm import MINILM
from likewise.evaluation.scores import all_scores, quiet
from likewise.evaluation.studies import MissingError
from likewise.search.methods import METHODS
from likewise.search.typed import method_name, weighting_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.evaluation.by_example.collection import Collection
    from likewise.index import Index

    Ids = NDArray[np.int64]
    Scores = NDArray[np.floating]

BEST = 10  # the time is measured until this many documents are found


class Answer(NamedTuple):
    """Scores of all documents; CPU seconds from examples to the best ten."""

    scores: Scores
    seconds: float
    converged: bool = True


class Contender(NamedTuple):
    label: str
    answer: Callable[[Collection, Ids], Answer]
    needs: str | None = None  # a package that may not be installed


def _ours(
    method: str,
    views: str | None = None,
    weighting: str | None = None,
    index_of: Callable[[Collection], Index] = attrgetter("index"),
) -> Callable[[Collection, Ids], Answer]:
    def answer(collection: Collection, examples: Ids) -> Answer:
        index = index_of(collection)
        ids = [collection.ids[number] for number in examples]
        index.corpus()  # compute lengths once, not for each query
        began = time.process_time()
        with quiet() as caught:
            query = index.learn(
                ids,
                method=method_name(method),
                views=views,
                weighting=weighting_name(weighting),
            )
        index.run(query, BEST)
        seconds = time.process_time() - began
        return Answer(all_scores(query), seconds, not caught)

    return answer


def _peer(score: Callable[[Collection, Ids], Scores]) -> Callable[[Collection, Ids], Answer]:
    def answer(collection: Collection, examples: Ids) -> Answer:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score(collection, examples[:0])  # prepare what all queries share
            began = time.process_time()
            scores = score(collection, examples)
            np.argpartition(-scores, BEST)
            seconds = time.process_time() - began
        stopped = any("converge" in str(warning.message) for warning in caught)
        return Answer(scores, seconds, not stopped)

    return answer


OURS = ("auto", *METHODS)
ABLATIONS = {  # what `auto` is without some of its parts: its views, its weighting of words
    "auto-words": Contender("likewise auto, words", _ours("auto", "words")),
    "auto-titles": Contender("likewise auto, words,titles", _ours("auto", "words,titles")),
    "auto-untitled": Contender(
        "likewise auto, no titles", _ours("auto", index_of=attrgetter("untitled_index"))
    ),
    "auto-tfidf": Contender("likewise auto, tfidf", _ours("auto", weighting="tfidf")),
}
CONTENDERS: dict[str, Contender] = {
    **{method: Contender(f"likewise {method}", _ours(method)) for method in OURS},
    **ABLATIONS,
    "bm25": Contender("BM25, 25 best terms (bm25s)", _peer(peers.more_like_this), "bm25s"),
    "bm25-all": Contender("BM25, all terms (bm25s)", _peer(peers.concatenated), "bm25s"),
    "svc-words-0.01": Contender(
        "LinearSVC on words, C = 0.01 (scikit-learn)", _peer(peers.linear_svc_words(0.01))
    ),
    "svc-words-0.1": Contender(
        "LinearSVC on words, C = 0.1 (scikit-learn)", _peer(peers.linear_svc_words(0.1))
    ),
    "svc-0.01": Contender("LinearSVC, C = 0.01 (scikit-learn)", _peer(peers.linear_svc(0.01))),
    "svc-0.1": Contender("LinearSVC, C = 0.1 (scikit-learn)", _peer(peers.linear_svc(0.1))),
    "bagging": Contender("bagging (pulearn)", _peer(peers.bagging), "pulearn"),
    "elkan-noto": Contender("Elkan-Noto (pulearn)", _peer(peers.elkan_noto), "pulearn"),
    "auto-minilm": Contender(
        "likewise auto, with MiniLM", _ours("auto", index_of=attrgetter("embedded_index")), MINILM
    ),
    "minilm-mean": Contender("MiniLM, mean", _peer(peers.minilm_mean), MINILM),
    "minilm-svc": Contender("MiniLM, LinearSVC C = 0.1", _peer(peers.minilm_svc), MINILM),
}
WITHOUT_MODEL = ("bm25", "svc-0.01", "svc-0.1", "bagging", "elkan-noto")
WITH_MODEL = ("auto-minilm", "minilm-mean", "minilm-svc")


def ask(name: str, collection: Collection, examples: Ids) -> Answer:
    contender = CONTENDERS[name]
    needs = contender.needs
    if needs and find_spec(needs.replace("-", "_")) is None:
        raise MissingError(f"not installed: pip install {needs}")
    return contender.answer(collection, examples)
