"""The ASGI application, put together from its parts."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import Depends, FastAPI

from likewise import __version__
from likewise.engines.cores import cores
from likewise.server import pages, problems
from likewise.server.access import Rate
from likewise.server.compressing import Compressing
from likewise.server.connections import quieten
from likewise.server.description import describe, operation_id
from likewise.server.gate import Gate
from likewise.server.indexes import ServedIndex, ServedIndexes
from likewise.server.jobs import Jobs
from likewise.server.judging import Judging
from likewise.server.memory import give_back, share_arenas
from likewise.server.metrics import Metrics
from likewise.server.parameters import known_only
from likewise.server.projects import Projects
from likewise.server.queries import SavedQueries
from likewise.server.quick import Quick
from likewise.server.recent import RecentQueries
from likewise.server.reviews import Reviews
from likewise.server.routes import (
    access,
    attachments,
    batch,
    bulk,
    documents,
    duplicates,
    exports,
    files,
    filters,
    indexes,
    jobs,
    judged,
    known,
    methods,
    news,
    operations,
    preferences,
    projects,
    queries,
    remarks,
    reports,
    search,
    searches,
    sessions,
    stopping,
    team,
    terms,
    uploads,
    views,
)
from likewise.server.routes.common import Parts
from likewise.server.search import Searches
from likewise.server.settings import Settings
from likewise.server.tokens import Tokens
from likewise.server.uploads import Uploads
from likewise.server.workers import sharing
from likewise.server.workers.forwarding import Behind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from starlette.types import ASGIApp

ROUTERS = (  # looked through in this order: what is asked for most comes first
    search,
    sessions,
    projects,
    uploads,
    indexes,
    views,
    documents,
    bulk,
    duplicates,
    exports,
    batch,
    methods,
    filters,
    files,
    terms,
    queries,
    known,
    stopping,
    team,
    judged,
    preferences,
    remarks,
    attachments,
    reports,
    news,
    searches,
    jobs,
    access,
    operations,
)
ABOUT = "Search by example: show it documents, it finds the rest."
TIDY = 10.0  # seconds between looks for what has expired


def create_app(
    paths: Sequence[Path], settings: Settings | None = None, run: Path | None = None
) -> ASGIApp:
    """An ASGI application that serves these indexes.

    With workers, `run` is the folder that they share: it is they who count how often somebody asks.
    """
    share_arenas()
    settings = settings or Settings()
    tokens = Tokens(settings.token_file) if settings.token_file else None
    parts = _parts(paths, settings, tokens)
    app = _api(parts, secured=tokens is not None)
    metrics = app.state.metrics = Metrics(parts.indexes, parts.jobs)
    app.state.parts = parts
    served = Compressing(Judging(Quick(app, parts.indexes, parts.limits), parts))
    if run is None:
        return Gate(served, settings, tokens, Rate(settings.limits.rate), metrics)
    metrics.others = partial(sharing.read, run)
    metrics.workers = partial(sharing.processes, run)
    if tokens is not None:
        tokens.others = metrics.others
    return Behind(Gate(served, settings, tokens, Rate(0), metrics, Rate(0)))


def _parts(paths: Sequence[Path], settings: Settings, tokens: Tokens | None) -> Parts:
    limits = settings.limits
    learned = RecentQueries(limits)
    searches = Searches(limits, learned, SavedQueries(settings.database))
    folder = Projects(settings.projects) if settings.projects else None
    served = ServedIndexes(paths, settings.threads, folder, settings.engine)

    def opened(one: ServedIndex) -> None:
        one.on_change = partial(_let_go, learned, one)

    for one in served:
        opened(one)
    served.on_open = opened
    sent = Uploads(folder, limits)
    return Parts(served, searches, Jobs(limits), Reviews(settings.database), sent, limits, tokens)


def _api(parts: Parts, *, secured: bool) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = max(4, 2 * cores())
        quieten(asyncio.get_running_loop())
        tidying = asyncio.create_task(_tidy(parts))
        yield
        tidying.cancel()
        parts.uploads.end()
        parts.jobs.close()
        parts.uploads.close()
        parts.searches.close()

    app = FastAPI(
        title="likewise",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        generate_unique_id_function=operation_id,
    )
    problems.install(app)
    for module in ROUTERS:
        app.include_router(module.router, prefix="/v1", dependencies=[Depends(known_only)])
    app.include_router(pages.router())
    app.state.routes = [route for module in ROUTERS for route in module.router.routes]
    describe(app, parts, secured=secured)
    return app


def _let_go(learned: RecentQueries, served: ServedIndex) -> None:
    """Nothing that waits to be used again holds the generation before."""
    learned.detach(served)
    served.release_sessions()


async def _tidy(parts: Parts) -> None:
    """Drop what has expired, also while nobody asks for anything, and what it took."""
    while True:
        await asyncio.sleep(TIDY)
        parts.jobs.forget()
        await to_thread.run_sync(parts.uploads.forget)
        parts.searches.learned.forget()
        await to_thread.run_sync(give_back)
