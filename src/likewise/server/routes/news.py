"""/v1/indexes/{index}/sessions/{name}/news: records that came into a running review."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.reviews import Session
from likewise.server import answers
from likewise.server.access import Role
from likewise.server.models.news import News
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    at_least,
)
from likewise.server.routes.turns import TheTurn

router = APIRouter(
    prefix="/indexes/{index}/sessions/{name}/news", tags=["sessions"], responses=ALWAYS | INDEX
)
MOST = 10_000  # ids that are listed


@router.get("")
async def get_news(turn: TheTurn) -> News:
    """What came since the review began, or since it was called seen; it is ranked with the rest."""
    return await turn.do(_news)


@router.post("", dependencies=[at_least(Role.review)])
async def call_news_seen(turn: TheTurn) -> News:
    """From now on, only what comes later is new."""

    def work(session: Session) -> News:
        session.news.seen()
        return _news(session)

    return await turn.do(work)


def _news(session: Session) -> News:
    news = session.news
    ids = news.ids
    return News(
        since=None if news.since is None else answers.stamp(news.since),
        new=len(ids),
        unjudged=news.unjudged,
        ids=ids[:MOST],
    )
