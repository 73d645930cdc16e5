"""A reviewer who answers with the known labels: judgements in, the next page out, until done."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from likewise.errors import UsageError
from likewise.feedback import FEEDBACK
from likewise.feedback.situations import Situations
from likewise.feedback.table import check, choose, selecting
from likewise.simulation.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.feedback.table import Rank
    from likewise.simulation.collection import Collection

StartFrom = Literal["examples", "query", "non-relevant"]
STARTS: tuple[StartFrom, ...] = ("examples", "query", "non-relevant")


@dataclass(frozen=True)
class Setting:
    """How a replay begins, goes on and ends.

    From `examples`: so many relevant and non-relevant documents are known, drawn by the seed, or
    those of `prior_ids`. From `non-relevant`: only the non-relevant ones. From a `query`: words.
    It ends with the last relevant document or after `most` documents. Without a `weighting` each
    method has the one that it is best with, as in a session.
    """

    method: str = "auto"
    selection: str | None = None
    start_from: StartFrom = "examples"
    priors: tuple[int, int] = (1, 1)
    prior_ids: tuple[str, ...] = ()
    query: str | None = None
    page_size: int = 1
    most: int | None = None
    weighting: str | None = None

    def __post_init__(self) -> None:
        check(self.method, self.selection)
        if self.start_from not in STARTS:
            raise UsageError(f"cannot start from {self.start_from!r}: choose {', '.join(STARTS)}")
        if (self.query is not None) != (self.start_from == "query"):
            raise UsageError("a query and starting from a query go together: give both or neither")
        if self.page_size < 1:
            raise UsageError(f"a page of {self.page_size} documents: ask for at least one")
        if min(self.priors) < 0 or (self.start_from == "examples" and not sum(self.priors)):
            raise UsageError("to start from examples, at least one document must be known")


def replay(
    collection: Collection,
    setting: Setting,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Judge page after page by the collection's labels."""
    relevant = collection.relevant
    searcher = collection.index.searcher
    situations = Situations(searcher, setting.weighting, setting.query, seed=seed)
    situation = situations.base
    priors = draw_priors(collection, setting, seed)
    for number in priors:
        situation.judge(number, bool(relevant[number]))
    left = int(relevant.sum() - relevant[priors].sum())
    most = len(relevant) if setting.most is None else setting.most
    order: list[int] = []
    learners: dict[str, Rank] = {}
    updates, began = 0, time.process_time()
    while left and len(order) < most and situation.unjudged.any():
        page = _page(situations, setting, learners, min(setting.page_size, most - len(order)))
        for number in page:
            situation.judge(number, bool(relevant[number]))
            left -= int(relevant[number])
        order += page
        updates += 1
        if progress is not None:
            progress(int(relevant.sum()) - left, int(relevant.sum()))
    seconds = time.process_time() - began
    found = relevant[order].tolist()
    return Run(
        collection=collection.name,
        method=setting.method,
        seed=seed,
        priors=priors,
        order=order,
        found=found,
        missed=left,
        documents=len(relevant),
        updates=updates,
        seconds=seconds,
    )


def draw_priors(collection: Collection, setting: Setting, seed: int) -> list[int]:
    """Relevant documents first, each side drawn by one generator from the seed."""
    if setting.prior_ids:
        return collection.numbers(list(setting.prior_ids))
    if setting.start_from == "query":
        return []
    generator = np.random.default_rng(seed)
    wanted = (0 if setting.start_from == "non-relevant" else setting.priors[0], setting.priors[1])
    drawn: list[int] = []
    for label, count in zip((True, False), wanted, strict=True):
        there = np.flatnonzero(collection.relevant == label)
        if count > len(there) - int(label):
            kind = "relevant" if label else "non-relevant"
            raise UsageError(
                f"{collection.name} has {len(there)} {kind} documents: "
                f"{count} of them cannot be known beforehand"
            )
        drawn += generator.choice(there, count, replace=False).tolist() if count else []
    return drawn


def _page(situations: Situations, setting: Setting, learners: dict[str, Rank], n: int) -> list[int]:
    name, _ = choose(setting.method, situations.base)
    situation = situations.of(name)
    if name not in learners:
        learners[name] = FEEDBACK[name].make()
    select = selecting(FEEDBACK[name], setting.selection)
    found = select(learners[name](situation), situation, n, situation.unjudged)
    return [number for number, _ in found]
