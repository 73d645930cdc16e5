"""The collections of the QBME tables: which part gives examples and which is searched."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SHARE = 0.8  # of news20 before the split

# The 65 topics of ModApte with most training documents, of those that have a test document.
# fmt: off
REUTERS = (
    "earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship", "corn",
    "money-supply", "dlr", "sugar", "oilseed", "coffee", "gnp", "gold", "veg-oil", "soybean",
    "bop", "livestock", "nat-gas", "cpi", "cocoa", "reserves", "carcass", "copper", "jobs",
    "yen", "ipi", "iron-steel", "cotton", "barley", "gas", "rubber", "alum", "rice",
    "meal-feed", "palm-oil", "sorghum", "retail", "silver", "zinc", "pet-chem", "wpi",
    "rapeseed", "tin", "hog", "housing", "orange", "strategic-metal", "lead", "heat",
    "soy-oil", "fuel", "soy-meal", "lei", "sunseed", "dmk", "lumber", "income", "tea",
    "nickel", "oat", "l-cattle",
)
# fmt: on


class Source(NamedTuple):
    """`paper` is its name there, `differs` how it is not the paper's; one file is split here.

    Where it is another collection altogether, nothing is compared.
    """

    folder: str
    files: tuple[str, ...]
    topics: tuple[str, ...]
    weightings: tuple[str, ...]
    paper: str
    differs: str
    comparable: bool = True

    @property
    def split_here(self) -> bool:
        return len(self.files) == 1


SOURCES: dict[str, Source] = {
    "news20": Source(
        "qbme/news20",
        ("news20.bz2",),
        tuple(map(str, range(1, 21))),
        ("counts", "tfidf"),
        "news20",
        "The paper's test part could not be had: its training part is split here at random, 80 % "
        "before the split.",
    ),
    "tmc500": Source(
        "qbme/tmc2007",
        ("tmc500_train.svm.gz", "tmc500_test.svm.gz"),
        tuple(map(str, range(22))),
        ("counts", "tfidf"),
        "siam-competition2007",
        "The paper's documents, labels and split, but 500 selected terms, present or not, for its "
        "30,438.",
    ),
    "tmc10k": Source(
        "qbme/tmc2007",
        ("sample10k_cv.svm.gz", "sample10k_test.svm.gz"),
        tuple(map(str, range(22))),
        ("counts", "tfidf"),
        "siam-competition2007",
        "A fifth of the paper's documents with 10,000 terms; one half gives examples, the other is "
        "searched.",
    ),
    "scene": Source(
        "qbme/scene",
        ("scene_train.svm.gz", "scene_test.svm.gz"),
        tuple(map(str, range(6))),
        ("counts",),
        "mediamill-exp1",
        "Another collection in place of the paper's, which could not be had: the paper's numbers "
        "cannot be compared and are left out.",
        comparable=False,
    ),
    "reuters": Source(
        "qbme/reuters21578",
        ("modapte_train.svm.gz", "modapte_test.svm.gz"),
        REUTERS,
        ("counts", "tfidf"),
        "reuters-21578",
        "ModApte, the 65 topics with most training documents, term counts made from the raw text. "
        "The paper's own vectors could not be had; its numbers are those of tf-idf, not of counts.",
    ),
}


class Halves(NamedTuple):
    """Rows of all documents, their labels, and which of them are before the split."""

    rows: Any
    labels: list[frozenset[str]]
    before: NDArray[np.bool_]


@lru_cache(maxsize=2)
def load(name: str, weighting: str, data: Path, seed: int) -> Halves:
    source = SOURCES[name]
    counts, labels, ends = _read(source.folder, source.files, data)
    before = np.arange(counts.shape[0]) < ends[0]
    if source.split_here:
        order = np.random.default_rng(seed).permutation(counts.shape[0])
        before = np.zeros(len(order), np.bool_)
        before[order[: int(SHARE * len(order))]] = True
    return Halves(WEIGHTINGS[weighting](counts), labels, before)


@lru_cache(maxsize=1)
def _read(
    folder: str, files: tuple[str, ...], data: Path
) -> tuple[Any, list[frozenset[str]], list[int]]:
    from scipy.sparse import vstack
    from sklearn.datasets import load_svmlight_files

    paths = [str(data / folder / file) for file in files]
    try:
        loaded = load_svmlight_files(paths, multilabel=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{paths[0]}: not an svmlight file ({error})") from error
    parts, found = loaded[::2], loaded[1::2]
    names = _names(data / folder / "topics.txt")
    labels = [frozenset(names.get(int(x), str(int(x))) for x in row) for y in found for row in y]
    return vstack(parts).tocsr(), labels, np.cumsum([part.shape[0] for part in parts]).tolist()


def _names(path: Path) -> dict[int, str]:
    """Names of labels, where a file has them."""
    if not path.exists():
        return {}
    lines = (line.split() for line in path.read_text().splitlines())
    return {int(number): name for number, name in lines}


def _unit(matrix: Any) -> Any:
    from sklearn.preprocessing import normalize

    return normalize(matrix)


def _tfidf(counts: Any) -> Any:
    """(1 + ln tf)·ln((D + 1)/df), rows of unit length."""
    weighted = counts.astype(np.float64)
    weighted.data = 1 + np.log(weighted.data)
    df = np.bincount(weighted.indices, minlength=weighted.shape[1])
    weighted.data *= np.log((weighted.shape[0] + 1) / np.maximum(df, 1))[weighted.indices]
    return _unit(weighted)


WEIGHTINGS = {"counts": _unit, "tfidf": _tfidf}
