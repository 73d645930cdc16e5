"""Making and removing the views of an index, as the work of jobs.

An index has one such job at a time. Embeddings are made while others read and write; only what puts
them into the index takes its turn.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from likewise.errors import LikewiseError, UsageError
from likewise.server.answers import encoded
from likewise.server.causes import Cause
from likewise.server.models.views import View, ViewList
from likewise.server.problems import ProblemError
from likewise.views import EMBEDDINGS, LATENT, TITLES
from likewise.views.finding import by_name, name_of

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.server.indexes import ServedIndex
    from likewise.server.jobs import Advance, Job, Jobs
    from likewise.server.models.views import NewView, ViewName

LOADING, LEARNING, COUNTING, EMBEDDING = "loading", "learning", "counting", "embedding"


def listed(served: ServedIndex) -> ViewList:
    index, job = served.current, served.making
    known = index.views.info()
    return ViewList(
        views=[
            View(
                name=name,
                documents=cost.documents,
                later=known[name].later if name in known else 0,
                dimensions=cost.dimensions,
                bytes=cost.bytes,
                share=cost.share,
                seconds=cost.seconds,
                source=(known[name].source or None) if name in known else None,
            )
            for name, cost in index.views.costs().items()
        ],
        job=None if job is None or job.is_finished else job.id,
        generation=index.generation,
    )


def begin(jobs: Jobs, served: ServedIndex, new: NewView, owner: str) -> Job:
    """Start making a view, unless that is what is being done."""
    place = None
    if new.model is not None:
        if new.view != EMBEDDINGS:
            raise ProblemError(422, f"no model makes {new.view}: it goes with embeddings")
        place = by_name(new.model)
    with served.begin_making:
        job = served.making
        if job is not None and not job.is_finished:
            if served.asked == new:
                return job
            raise ProblemError(
                Cause.not_ready, f"a view of {served.name} is being made: wait, or cancel it"
            )
        work = partial(_make, served, new.view, place)
        served.making = jobs.make(served.name, work, served.folders, owner)
        served.asked = new
        return served.making


def drop(served: ServedIndex, view: ViewName) -> ViewList:
    with served.writing:
        views = served.newest.views
        if view not in views.info():
            raise ProblemError(
                Cause.unknown_view, f"{served.name} has no view {view!r}: nothing is removed"
            )
        drops = {
            TITLES: views.drop_titles,
            LATENT: views.drop_latent,
            EMBEDDINGS: views.drop_embeddings,
        }
        drops[view]()
        served.refreshed()
    return listed(served)


def _make(served: ServedIndex, view: ViewName, place: Path | None, advance: Advance) -> bytes:
    if view == EMBEDDINGS:
        _embed(served, place, advance)
    else:
        advance(COUNTING if view == TITLES else LEARNING, 0, 0)
        with served.writing:
            views = served.newest.views
            (views.add_titles if view == TITLES else views.learn_latent)()
            served.refreshed()
    made = listed(served)
    return encoded(made.model_copy(update={"job": None}))  # this one, which is done


def _embed(served: ServedIndex, place: Path | None, advance: Advance) -> None:
    """All documents, also those that come meanwhile."""
    advance(LOADING, 0, 0)
    model = None if place is None else str(place)
    try:
        while True:
            views = served.newest.views
            made = views.embed_with(
                model, progress=partial(advance, EMBEDDING), turn=served.writing
            )
            served.refreshed()
            if not made or not served.current.views.info()[EMBEDDINGS].later:
                return
    except LikewiseError as error:  # do not show the server's folders to its users
        if place is None:
            raise
        raise UsageError(str(error).replace(str(place), name_of(place))) from error
