"""The feedback methods by name: what each does and what it can learn from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from likewise.corpus import Mask
from likewise.errors import UsageError
from likewise.feedback.nonrelevance import anchored, expanded, one_class, svdd
from likewise.feedback.ranked import Found, Ranked, above, below, best
from likewise.feedback.relevance import named, plain, rocchio
from likewise.feedback.situation import Situation, State
from likewise.feedback.twoclass import TwoClass
from likewise.search.methods import METHODS

Rank = Callable[[Situation], Ranked]
Select = Callable[[Ranked, Situation, int, Mask], Found]

_EITHER = frozenset({State.NON_RELEVANT, State.RELEVANT})
_NON_RELEVANT = frozenset({State.NON_RELEVANT})
_RELEVANT = frozenset({State.RELEVANT})


class Feedback(NamedTuple):
    """`serves` says in which states it can be used; `make` gives one with a memory of its own;
    `weighting` is how terms weigh for it where nobody says, in place of the index' default.
    """

    about: str
    serves: frozenset[State]
    make: Callable[[], Rank]
    select: Select = best
    weighting: str | None = None


SELECTIONS: dict[str, Select] = {"best": best, "active": above}


FEEDBACK = {
    "none": Feedback(
        "no feedback: the words, else the mean of the examples, else a random order",
        frozenset(State),
        lambda: plain,
    ),
    "rocchio": Feedback(
        "the words plus the relevant documents minus half the non-relevant ones",
        _EITHER,
        lambda: rocchio,
    ),
    "one-class": Feedback(
        "just outside a one-class SVM of the non-relevant documents",
        _NON_RELEVANT,
        lambda: one_class,
        below,
    ),
    "svdd": Feedback(
        "just outside the smallest sphere around the non-relevant documents",
        _NON_RELEVANT,
        lambda: svdd,
        below,
    ),
    "anchored": Feedback(
        "the words, and away from what the non-relevant documents have in common",
        _NON_RELEVANT,
        lambda: anchored,
    ),
    "expanded": Feedback(
        "the same, the words joined by what the documents nearest to them are about",
        _NON_RELEVANT,
        lambda: expanded,
    ),
    "two-class": Feedback(
        "an SVM of the relevant against the non-relevant documents",
        _RELEVANT,
        TwoClass,
        weighting="smooth",
    ),
}
FEEDBACK |= {
    name: Feedback(f"{method.about}, as in query by example", _RELEVANT, partial(named, name))
    for name, method in METHODS.items()
    if name not in FEEDBACK
}
DEFAULTS = {
    State.NOTHING: "none",
    State.NON_RELEVANT: "expanded",
    State.RELEVANT: "two-class",
}


def check(method: str, selection: str | None) -> None:
    if method != "auto" and method not in FEEDBACK:
        raise UsageError(f"unknown feedback {method!r}: choose auto, {', '.join(FEEDBACK)}")
    if selection is not None and selection not in SELECTIONS:
        raise UsageError(f"unknown selection {selection!r}: choose {', '.join(SELECTIONS)}")


def choose(method: str, situation: Situation) -> tuple[str, str]:
    """The method for what has been judged so far, and why it is the one."""
    state = situation.state
    if method != "auto" and state in FEEDBACK[method].serves:
        return method, "it was asked for"
    if situation.only_examples:
        chosen, reason = _by_example(situation)
    elif state is State.NON_RELEVANT and situation.words is None:
        chosen, reason = "one-class", f"{state} and no words"
    else:
        chosen, reason = DEFAULTS[state], str(state)
    return chosen, reason if method == "auto" else f"{reason}, which {method} cannot use"


def _by_example(situation: Situation) -> tuple[str, str]:
    """For examples that the search began with, before anything shown was judged."""
    if situation.words is not None:
        return "rocchio", "words and examples are added up until something is judged"
    examples = len(situation.relevant)
    if examples == 1:
        return "centroid", "a single example leaves nothing to weigh against the rest"
    return "steady", f"{examples} examples can be weighed against the rest of the corpus"


def selecting(method: Feedback, selection: str | None) -> Select:
    """How the method's documents are chosen; `selection` is for relevance feedback only."""
    learns = State.RELEVANT in method.serves and State.NOTHING not in method.serves
    return SELECTIONS[selection] if selection is not None and learns else method.select
