"""The data sets of bipartite ranking: what is learned from, and what is ranked.

Where the paper does not say how values are scaled: mnist is divided by 255 and letter scaled to
[0, 1], with which WSVM comes to the paper's AUC (in [−1, 1], as LIBSVM's page has letter, to .969
and not .981); the others are as on that page.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.evaluation.studies import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDS = 5


class Source(NamedTuple):
    """A folder under ranking/: its columns, whether it has a test file, and (x + shift)/divisor."""

    features: int
    has_test: bool = False
    shift: float = 0.0
    divisor: float = 1.0


SOURCES = {
    "shuttle": Source(9, has_test=True),
    "a9a": Source(123, has_test=True),
    "letter": Source(16, shift=1.0, divisor=2.0),
    "ijcnn1": Source(22),
    "rcv1.binary": Source(47236),
    "connect-4": Source(126),
    "covtype.binary": Source(54),
    "mnist": Source(780, has_test=True, divisor=255.0),
}


class Parts(NamedTuple):
    X: Any
    y: Any
    tested: int  # of the last rows, if there is a test file

    def splits(self) -> Iterator[tuple[Any, Any]]:
        """Rows to learn from, and to rank."""
        from sklearn.model_selection import StratifiedKFold

        if self.tested:
            rows, first = np.arange(len(self.y)), len(self.y) - self.tested
            return iter([(rows[:first], rows[first:])])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        return folds.split(np.zeros(len(self.y)), self.y)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def load(name: str, data: Path) -> Parts:
    from scipy.sparse import vstack

    source, folder = SOURCES[name], data / "ranking" / name
    X, y = _read(folder, "train", source)
    if not source.has_test:
        return Parts(X, y, 0)
    other, labels = _read(folder, "test", source)
    return Parts(vstack([X, other]).tocsr(), np.append(y, labels), len(labels))


def _read(folder: Path, part: str, source: Source) -> tuple[Any, Any]:
    from scipy.sparse import csr_matrix
    from sklearn.datasets import load_svmlight_file

    found = sorted(folder.glob(f"{part}.svm*"))
    if not found:
        raise MissingError(f"{folder / part}.svm is not there: name the folder of data with --data")
    X, y = load_svmlight_file(str(found[0]), n_features=source.features)
    if source.shift:
        X = csr_matrix(X.toarray() + source.shift)
    return X / source.divisor, np.where(y > 0, 1, -1)
