"""Simulation of a review: how soon a method finds the documents known to be relevant.

A `Collection` is an index with the label of every document. `replay` judges page after page by
these labels, and returns a `Run`.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from likewise.errors import InputError, LeftOut, UsageError
from likewise.evaluation.measures import EFFORTS
from likewise.feedback import Ranker, Start
from likewise.feedback.methods import check
from likewise.index import Index
from likewise.readers.labels import LabelName, label_fields, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.evaluation.measures import Effort
    from likewise.store.known import OnDuplicate

KNOWN: dict[LabelName | None, bool] = {"relevant": True, "not": False}
StartFrom = Literal["examples", "query", "non-relevant"]
STARTS: tuple[StartFrom, ...] = ("examples", "query", "non-relevant")


class Collection:
    """An index and its documents' labels, in the order of their numbers."""

    def __init__(self, name: str, index: Index, relevant: NDArray[np.bool_]) -> None:
        if len(relevant) != len(index):
            raise UsageError(f"{len(relevant)} labels for {len(index)} documents")
        if not relevant.any() or relevant.all():
            kind = "relevant" if len(relevant) and relevant[0] else "non-relevant"
            raise UsageError(f"{name} has {kind} documents only: labels of both kinds are needed")
        self.name, self.index, self.relevant = name, index, relevant
        self.ids = index.ids()

    @classmethod
    def of_index(cls, index: Index, name: str, label: str | None = None) -> Collection:
        """Labels are a field of the documents: `label`, or the first of the usual names."""
        relevant = [_label(index, id, label) for id in index.ids()]
        return cls(name, index, np.array(relevant, np.bool_))

    def numbers(self, ids: list[str]) -> list[int]:
        places = {id: number for number, id in enumerate(self.ids)}
        for id in ids:
            if id not in places:
                raise UsageError(f"no document {id!r} in {self.name}")
        return [places[id] for id in ids]


@contextmanager
def read(
    path: Path,
    label: str | None = None,
    *,
    text_column: str | None = None,
    on_duplicate: OnDuplicate = "error",
    **settings: Any,
) -> Iterator[Collection]:
    """A file of records as a collection; its index is temporary and removed at the end.

    `text_column` and `on_duplicate` are those of Index.add, `settings` those of Index.create.
    """
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        index = Index.create(Path(folder) / "index", **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOut)  # raised as an error below
            added = index.add(path, on_duplicate=on_duplicate, text_column=text_column)
        if added.problems:
            raise InputError(str(added.problems[0]))
        if not len(index):
            raise InputError(f"{path} contains no document")
        yield Collection.of_index(index, str(path), label)


class Run(NamedTuple):
    """One method with one seed. Documents are numbers; `priors` were known at the start."""

    collection: str
    method: str
    seed: int
    priors: list[int]
    order: list[int]
    found: list[bool]
    missed: int
    """Relevant documents that were not reached."""
    documents: int
    updates: int
    seconds: float
    """Processor time of learning and ranking."""

    @property
    def relevance(self) -> NDArray[np.bool_]:
        """By rank, without the priors; relevant documents that were never reached come last."""
        out = np.zeros(self.documents - len(self.priors), np.bool_)
        out[: len(self.found)] = self.found
        out[len(out) - self.missed :] = True
        return out

    def measures(self, efforts: Sequence[Effort] = EFFORTS) -> dict[str, float]:
        return {str(effort): effort(self.relevance) for effort in efforts}


@dataclass(frozen=True)
class Setting:
    """How a replay starts, continues and ends.

    Start from `examples`: some relevant and non-relevant documents are known, drawn by the seed or
    given by `prior_ids`. Start from `non-relevant`: only non-relevant ones are known. Start from
    `query`: words are given. It ends with the last relevant document or after `most` documents.
    Without a `weighting` each method uses the one it ranks best with, as in a session. `views` are
    the factors of views beside the words, by default those of a session.
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
    views: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        check(self.method, self.selection)
        if self.start_from not in STARTS:
            raise UsageError(f"cannot start from {self.start_from!r}: choose {', '.join(STARTS)}")
        if (self.query is not None) != (self.start_from == "query"):
            raise UsageError("--query and --start-from query need each other: give both or neither")
        if self.page_size < 1:
            raise UsageError(f"page_size is {self.page_size}: it must be 1 or more")
        if min(self.priors) < 0 or (self.start_from == "examples" and not sum(self.priors)):
            raise UsageError("starting from examples needs at least one known document")


def replay(
    collection: Collection,
    setting: Setting,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Judge page after page by the collection's labels."""
    relevant = collection.relevant
    ranker = Ranker(
        collection.index.searcher,
        Start(setting.query),
        method=setting.method,
        selection=setting.selection,
        weighting=setting.weighting,
        seed=seed,
        views=setting.views,
    )
    situation = ranker.situation
    priors = draw_priors(collection, setting, seed)
    for number in priors:
        situation.judge(number, bool(relevant[number]))
    left = int(relevant.sum() - relevant[priors].sum())
    most = len(relevant) if setting.most is None else setting.most
    order: list[int] = []
    updates, began = 0, time.process_time()
    while left and len(order) < most and situation.unjudged.any():
        best = ranker.best(min(setting.page_size, most - len(order)))
        page = [number for number, _ in best]
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
    """Documents known at the start, relevant ones first, drawn by the seed."""
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
                f"{count} of them cannot be known at the start"
            )
        drawn += generator.choice(there, count, replace=False).tolist() if count else []
    return drawn


def _label(index: Index, id: str, name: str | None) -> bool:
    fields = index.document(id).fields
    names = label_fields(tuple(fields)) if name is None else (name,)
    found = next((fields[each] for each in names if fields.get(each) not in (None, "")), None)
    known = KNOWN.get(spelled(found))
    if known is None:
        wanted = " or ".join(names) or "label"
        said = "has no label" if found is None else f"has the label {found!r}"
        raise InputError(
            f"document {id!r} {said}: give 1 or 0 in a field {wanted}, or name it with --label"
        )
    return known
