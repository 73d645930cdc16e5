"""Does a change alter results? Records what every method finds, and compares with a record.

    python tools/results.py record before.json
    python tools/results.py compare before.json

Covers the bundled collection: index bytes; keyword search by every weighting; every method by
weighting and views, with its objective; feedback; the estimators. Rankings must be the same,
scores to 1e-12 of the largest, objectives to the gap that the solver reports.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from likewise import Index, Text
from likewise.datasets import arxiv_sample, topics

METHODS = [
    "auto",
    "centroid",
    "1c",
    "rocchio",
    "ba",
    "pr",
    "p@k",
    "r@k",
    "f1",
    "prbep",
    "rank",
    "steady",
]
FEEDBACK = ["auto", "rocchio", "one-class", "svdd", "anchored", "expanded", "two-class", "steady"]
WEIGHTINGS = ["tfidf", "smooth", "counts", "pivoted", "damped", "unit", "raw"]
VIEWS = ("words", "words,latent", "words,latent,embeddings")
WORDS = ("robot arm", "quantum gases in optical lattices", "privacy of users")
SCORES = 1e-12
ESTIMATORS = [
    "Centroid",
    "Rocchio",
    "OneClassSVM",
    "BalancedSVM",
    "PrecisionRecallSVM",
    "PrecisionAtK",
    "RecallAtK",
    "F1SVM",
    "NuOneClassSVM",
    "SVDD",
    "WeightedSVM",
    "RankSVM",
    "CombinedRankingRegression",
    "ActiveRankSVM",
]


def make_index(directory: Path) -> Index:
    index = Index.create(directory / "results.idx", threads=2)
    index.add(arxiv_sample())
    return index


def embed(index: Index) -> None:
    """Vectors of chance around each topic's own, as a model might make them."""
    random = np.random.default_rng(7)
    vectors = random.standard_normal((len(index), 16)).astype(np.float32)
    place = {id: number for number, id in enumerate(index.ids())}
    for ids in topics().values():
        vectors[[place[id] for id in ids]] += 2 * random.standard_normal(16).astype(np.float32)
    index.embed(vectors)


def digests(directory: Path) -> dict[str, str]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name != "lock"
    }


def hits(found: Any) -> dict[str, Any]:
    return {"ids": [hit.id for hit in found], "scores": [hit.score for hit in found]}


def outcome(make: Any) -> dict[str, Any]:
    """What was found, or the sentence that says why not."""
    from likewise import LikewiseError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()
    except LikewiseError as error:
        return {"error": type(error).__name__}


def by_words(index: Index) -> dict[str, Any]:
    return {
        f"words {weighting} {words}": hits(index.search(words, 20, weighting=weighting))
        for weighting in WEIGHTINGS
        for words in WORDS
    }


def by_example(index: Index) -> dict[str, Any]:
    of_topic = topics()
    liked, disliked = of_topic["cs.RO"][:5], of_topic["cs.CR"][:2]
    outside = [*liked[:2], Text("a robot arm that learns to grasp unknown objects")]

    def run(examples: list[Any], unlike: list[str], **options: Any) -> dict[str, Any]:
        found = index.like(examples, unlike, k=50, **options)
        learned = found.query.learned
        told = {"objective": learned.objective, "gap": learned.gap, "passes": learned.passes}
        explained = index.explain(found[0], found.query)
        terms = [list(term) for term in explained.terms[:10]]
        return {**hits(found), **told, "explained": explained.score, "terms": terms}

    results = {}
    for method in METHODS:
        for weighting in WEIGHTINGS:
            for views in VIEWS:
                options = {"method": method, "weighting": weighting, "views": views}
                name = f"like {method} {weighting} {views}"
                results[name] = outcome(lambda o=options: run(liked, disliked, **o))
        results[f"like {method}, one from outside"] = outcome(
            lambda m=method: run(outside, [], method=m)
        )
    return results


def by_feedback(index: Index) -> dict[str, Any]:
    of_topic = topics()
    judgements = {
        "none": {},
        "non-relevant": dict.fromkeys(of_topic["cs.CR"][:6], "not"),
        "both": dict.fromkeys(of_topic["cs.CR"][:6], "not")
        | dict.fromkeys(of_topic["cs.RO"][:3], "relevant"),
    }
    results = {}
    for method in FEEDBACK:
        for state, judged in judgements.items():
            session = index.session(f"{method} {state}", query="robot arm", method=method)
            if judged:
                session.judge_all(judged)
            results[f"feedback {method} {state}"] = hits(session.next(20).hits)
    return results


def by_estimator(index: Index) -> dict[str, Any]:
    import likewise.estimators as estimators

    corpus = index.corpus()
    ids = index.ids()
    wanted = set(topics()["cs.RO"][:10])
    y = np.array([int(id in wanted) for id in ids])
    rows = np.flatnonzero(y)
    results = {}
    for name in ESTIMATORS:
        estimator = getattr(estimators, name)()
        one_class = name in ("NuOneClassSVM", "SVDD")

        def run(estimator: Any = estimator, one_class: bool = one_class) -> dict[str, Any]:
            fitted = estimator.fit(corpus.take(rows)) if one_class else estimator.fit(corpus, y)
            scores = np.asarray(fitted.decision_function(corpus)).ravel()
            best = np.argsort(-scores, kind="stable")[:50]
            told = {"ids": [ids[i] for i in best], "scores": scores[best].tolist()}
            for attribute, key in (("objective_", "objective"), ("duality_gap_", "gap")):
                value = getattr(fitted, attribute, None)
                told[key] = None if value is None else float(value)
            return told

        results[f"estimator {name}"] = outcome(run)
    return results


def results() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        index = make_index(directory)
        found: dict[str, Any] = {"files": digests(directory / "results.idx")}
        embed(index)
        found |= by_words(index) | by_example(index)
        found |= by_feedback(index) | by_estimator(index)
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    found = []
    if before.keys() != after.keys():
        found.append(f"not in both: {sorted(before.keys() ^ after.keys())}")
    for name in before.keys() & after.keys():
        found += [f"{name}: {what}" for what in _difference(before[name], after[name])]
    return sorted(found)


def _difference(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    if "ids" not in before or "ids" not in after:
        return [] if before == after else [f"was {before}, is {after}"]
    found = []
    if before["ids"] != after["ids"]:
        same = sum(a == b for a, b in zip(before["ids"], after["ids"], strict=False))
        found.append(f"ranking: {same} of {len(before['ids'])} in place")
    elif before["ids"]:
        one, two = np.array(before["scores"]), np.array(after["scores"])
        error = np.abs(one - two).max() / max(np.abs(one).max(), 1e-300)
        if error > SCORES:
            found.append(f"scores differ by {error:.2g}")
    first, second = before.get("objective"), after.get("objective")
    if (first is None) != (second is None):
        found.append(f"objective was {first}, is {second}")
    elif first is not None and second is not None and first == first:
        gap = max(before.get("gap") or 0.0, after.get("gap") or 0.0, SCORES)
        if abs(first - second) > gap * abs(first):
            found.append(f"objective was {first}, is {second}")
    return found


def main() -> int:
    verb, path = sys.argv[1], Path(sys.argv[2])
    if verb == "record":
        path.write_text(json.dumps(results()))
        return 0
    wrong = differences(json.loads(path.read_text()), json.loads(json.dumps(results())))
    print("\n".join(wrong) if wrong else "the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
