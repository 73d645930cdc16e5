"""/v1/health and /v1/metrics: for whoever keeps the server running."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from likewise import __version__
from likewise.server import metrics
from likewise.server.models.base import Answer
from likewise.server.routes.common import ALWAYS, TheParts

router = APIRouter(tags=["operations"], responses=ALWAYS)


class Health(Answer):
    status: str = Field(examples=["ok"])
    version: str = Field(examples=["0.1.0"])


@router.get("/health")
async def health() -> Health:
    """Whether it is up; needs no token."""
    return Health(status="ok", version=__version__)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_metrics(parts: TheParts, request: Request) -> Response:
    """Counts, times and sizes in Prometheus' text format."""
    documents = {f'{{index="{h.name}"}}': float(len(h.current)) for h in parts.shelf}
    gauges = {
        "documents": documents,
        "damaged": {f'{{index="{h.name}"}}': float(h.problem is not None) for h in parts.shelf},
        "jobs_open": {"": float(parts.jobs.open)},
        "resident_bytes": {"": float(metrics.resident_bytes())},
    }
    text = request.app.state.metrics.text(gauges)
    return Response(text, media_type=metrics.MEDIA_TYPE)
