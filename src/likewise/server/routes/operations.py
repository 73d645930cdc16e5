"""/v1/health and /v1/metrics: for operators."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from likewise import __version__
from likewise.server.metrics import MEDIA_TYPE
from likewise.server.models.base import Answer
from likewise.server.routes.common import ALWAYS

router = APIRouter(tags=["operations"], responses=ALWAYS)


class Health(Answer):
    status: str = Field(examples=["ok"])
    version: str = Field(examples=["0.1.0"])


@router.get("/health")
async def get_health() -> Health:
    """Whether the server is up; needs no token."""
    return Health(status="ok", version=__version__)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_metrics(request: Request) -> Response:
    """Counts, times and sizes in Prometheus' text format."""
    return Response(request.app.state.metrics.text(), media_type=MEDIA_TYPE)
