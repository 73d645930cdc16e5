"""LIBLINEAR on SVM_ba: class weights make it the same problem, at v = 2w."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from liblinear.liblinear import liblinear, parameter, problem, toPyModel
from scipy import sparse

if TYPE_CHECKING:
    from typing import Any

    from problems import Problem

HINGE_BY_DUAL_DESCENT = 3
FIRST_EPS, LAST_EPS = 4.0, 1e-7


class Reached(NamedTuple):
    """The largest stopping tolerance that was good enough, and the objective it led to."""

    eps: float
    objective: float


class Liblinear:
    def __init__(self, task: Problem, matrix: Any = None) -> None:
        """Of the corpus, or of a matrix that has been made of it."""
        if matrix is None:
            starts, columns, values, shape = task.corpus.rows(np.arange(task.corpus.shape[0]))
            matrix = sparse.csr_matrix((values, columns, starts), shape=shape)
        self._matrix = matrix
        self._labels, self._C = task.labels, task.C
        self._problem = problem(np.where(task.labels == 1, 1.0, -1.0), self._matrix)

    def train(self, eps: float) -> Any:
        """Min ½‖v‖² + 2C·(mean hinge over P + mean hinge over U), as LIBLINEAR's own model."""
        examples = int(self._labels.sum())
        unlabeled = len(self._labels) - examples
        weights = f"-w1 {2 * self._C / examples!r} -w-1 {2 * self._C / unlabeled!r}"
        settings = parameter(f"-s {HINGE_BY_DUAL_DESCENT} -c 1 {weights} -e {eps!r} -q")
        return toPyModel(liblinear.train(self._problem, settings))

    def objective(self, model: Any) -> float:
        """½‖w‖² + C·R(w), as likewise counts it."""
        v = np.ctypeslib.as_array(model.w, (self._matrix.shape[1],))
        w = v / 2 if model.get_labels()[0] == 1 else -v / 2
        s = self._matrix @ w
        examples = self._labels == 1
        loss = np.maximum(0, 0.5 - s[examples]).mean() + np.maximum(0, 0.5 + s[~examples]).mean()
        return float(w @ w / 2 + self._C * loss)

    def reach(self, objective: float) -> Reached:
        """Where LIBLINEAR may stop as early as possible, and still be as good."""
        eps = FIRST_EPS
        while eps >= LAST_EPS:
            found = self.objective(self.train(eps))
            if found <= objective:
                return Reached(eps, found)
            eps /= 2
        raise RuntimeError(f"LIBLINEAR came to {found} at ε = {LAST_EPS}, not to {objective}")
