"""A contender that is no method of feedback: away from the non-relevant documents by a kernel.

exp(−γ‖x − y‖²) of the latent space, γ = 4, instead of the product: only what is near a rejected
document is ranked lower, not all that is on their side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.engines.stack import Stack
from likewise.feedback.methods import FEEDBACK, Feedback
from likewise.feedback.nonrelevance import AWAY, one_class
from likewise.feedback.select import Ranked, fresh
from likewise.feedback.situation import State
from likewise.feedback.views import BY_WORDS
from likewise.views import LATENT

if TYPE_CHECKING:
    from likewise.feedback.situation import Situation

GAMMA = 4.0
KERNEL = "kernel"


def kernel(situation: Situation) -> Ranked:
    """The words in all views, minus the mean kernel with the rejected documents."""
    if situation.words is None:
        return one_class(situation)
    corpus = situation.corpus
    scores = corpus.arrays.host(corpus.scores(situation.words)).astype(np.float64)
    near = _near(situation)
    return Ranked(scores=corpus.arrays.vector(scores - AWAY * near))


def _near(situation: Situation) -> np.ndarray:
    """The mean kernel of each document with the rejected ones; 0 without a latent space."""
    corpus = situation.corpus
    views = {view.name: view.corpus for view in corpus.views} if isinstance(corpus, Stack) else {}
    if LATENT not in views:
        return np.zeros(situation.documents)
    latent = views[LATENT]
    lengths = np.maximum(np.sqrt(latent.arrays.host(latent.squares)), 1e-9)
    total = np.zeros(situation.documents)
    for number in situation.others.tolist():
        row = latent.rows(np.array([number])).weighted_sum(np.ones(1))
        cosines = latent.arrays.host(latent.scores(latent.arrays.vector(row))) / lengths
        total += np.exp(-2 * GAMMA * (1 - cosines / lengths[number]))
    return total / len(situation.others)


CONTENDERS = FEEDBACK | {
    KERNEL: Feedback(
        "as away, by a kernel of the latent space",
        frozenset({State.NON_RELEVANT}),
        lambda: kernel,
        fresh,
        views=BY_WORDS,
    )
}
