"""The table of feedback methods: what each does, and in which situation it can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from likewise.corpus import Mask
from likewise.errors import UsageError
from likewise.feedback.nonrelevance import anchored, away, expanded, one_class, svdd
from likewise.feedback.relevance import named, plain, rocchio
from likewise.feedback.select import Found, Ranked, above, below, best, fresh
from likewise.feedback.situation import NO_VIEWS, Situation, State
from likewise.feedback.twoclass import TOL, TwoClass
from likewise.feedback.views import BY_WORDS, FACTORS
from likewise.search.methods import METHODS, Options

Rank = Callable[[Situation], Ranked]
Select = Callable[[Ranked, Situation, int, Mask], Found]

_EITHER = frozenset({State.NON_RELEVANT, State.RELEVANT})
_NON_RELEVANT = frozenset({State.NON_RELEVANT})
_RELEVANT = frozenset({State.RELEVANT})


class Feedback(NamedTuple):
    """A row of the table, for command line, HTTP, page and docs as well as for the ranker."""

    about: str
    """What it does, in a phrase."""
    serves: frozenset[State]
    """The states in which it can learn."""
    make: Callable[[], Rank]
    """Makes a new ranking function with its own state."""
    select: Select = best
    weighting: str | None = None
    """Its default weighting, if that is not the index' default."""
    tol: float | None = None
    """The relative gap at which it stops, if it minimises an objective."""
    views: Mapping[str, float] = NO_VIEWS
    """The views that it uses beside the words, with their factors, where the index has them."""


SELECTIONS: dict[str, Select] = {"best": best, "active": above}


FEEDBACK = {
    "none": Feedback(
        "does not learn: ranks by the words, else by the examples, else at random",
        frozenset(State),
        lambda: plain,
    ),
    "rocchio": Feedback(
        "adds relevant documents to the words and subtracts half of the non-relevant ones",
        _EITHER,
        lambda: rocchio,
    ),
    "one-class": Feedback(
        "shows what differs most clearly from the non-relevant documents (one-class SVM)",
        _NON_RELEVANT,
        lambda: one_class,
        below,
    ),
    "svdd": Feedback(
        "shows what is just outside the smallest sphere around the non-relevant documents",
        _NON_RELEVANT,
        lambda: svdd,
        below,
    ),
    "anchored": Feedback(
        "ranks by the words, and lower what resembles the non-relevant documents",
        _NON_RELEVANT,
        lambda: anchored,
    ),
    "expanded": Feedback(
        "ranks by the words and others of the documents that fit them best, and lower what "
        "resembles the non-relevant documents",
        _NON_RELEVANT,
        lambda: expanded,
    ),
    "away": Feedback(
        "ranks by the words in all views, and slightly lower what resembles the non-relevant "
        "documents; copies of these come last",
        _NON_RELEVANT,
        lambda: away,
        fresh,
        views=BY_WORDS,
    ),
    "two-class": Feedback(
        "learns to tell relevant from non-relevant documents (two-class SVM)",
        _RELEVANT,
        TwoClass,
        weighting="smooth",
        tol=TOL,
        views=FACTORS,
    ),
}
FEEDBACK |= {
    name: Feedback(
        f"search by example: {method.about}",
        _RELEVANT,
        partial(named, name),
        tol=Options().tolerance,
    )
    for name, method in METHODS.items()
    if name not in FEEDBACK
}
AUTO = "chooses a method for the judgements made so far"
ABOUT = {"auto": AUTO} | {name: method.about for name, method in FEEDBACK.items()}
"""Every name that can be chosen, with a description: for lists, forms and help."""
DEFAULTS = {
    State.NOTHING: ("none", "nothing has been judged yet"),
    State.NON_RELEVANT: (
        "away",
        "nothing relevant found yet: by the words, away from what was judged not relevant",
    ),
    State.RELEVANT: ("two-class", "learned from the judgements so far"),
}


def check(method: str, selection: str | None) -> None:
    if method not in ABOUT:
        raise UsageError(f"unknown feedback {method!r}: choose {', '.join(ABOUT)}")
    if selection is not None and selection not in SELECTIONS:
        raise UsageError(f"unknown selection {selection!r}: choose {', '.join(SELECTIONS)}")


def choose(method: str, situation: Situation) -> tuple[str, str]:
    """The method for the judgements so far, and why it was chosen."""
    state = situation.state
    if method != "auto" and state in FEEDBACK[method].serves:
        return method, "it was asked for"
    if situation.only_examples:
        chosen, reason = _by_example(situation)
    elif state is State.NON_RELEVANT and situation.words is None:
        chosen = "one-class"
        reason = "nothing relevant found yet: away from what was judged not relevant"
    else:
        chosen, reason = DEFAULTS[state]
    return chosen, reason if method == "auto" else f"{method} cannot be used yet: {state}"


def _by_example(situation: Situation) -> tuple[str, str]:
    """The method if there are examples and nothing is judged yet."""
    if situation.words is not None:
        return "rocchio", "by the words and the examples, until something is judged"
    examples = len(situation.relevant)
    if examples == 1:
        return "centroid", "most like the one example"
    return "steady", f"learned from {examples} examples"


def selecting(method: Feedback, selection: str | None) -> Select:
    """How the method's documents are chosen; `selection` is for relevance feedback only."""
    learns = State.RELEVANT in method.serves and State.NOTHING not in method.serves
    return SELECTIONS[selection] if selection is not None and learns else method.select
