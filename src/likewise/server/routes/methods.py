"""/v1/methods: what `method`, `options`, `selection` and `weighting` may be.

It repeats the library's tables, so that no client needs a list of its own.
"""

from __future__ import annotations

from fastapi import APIRouter

from likewise.feedback import SELECTIONS
from likewise.feedback.methods import ABOUT as FEEDBACK
from likewise.search.elsewhere.exporting import BOOLEAN, TARGETS
from likewise.search.methods import ABOUT, METHODS
from likewise.server.models.methods import FeedbackInfo, MethodInfo, Methods, TargetInfo
from likewise.server.routes.common import ALWAYS
from likewise.weighting import WEIGHTINGS

router = APIRouter(tags=["search"], responses=ALWAYS)
ANY = {"views"}  # options that every method takes
OF_AUTO = METHODS["steady"].takes | {"budget"}  # it tunes this method


@router.get("/methods")
async def list_methods() -> Methods:
    """The methods that learn from examples and from judgements, and what they take."""
    return Methods(
        search=list(map(_search, ABOUT)),
        feedback=[FeedbackInfo(name=name, about=about) for name, about in FEEDBACK.items()],
        selections=list(SELECTIONS),
        weightings=list(WEIGHTINGS),
        targets=[
            TargetInfo(name=name, about=about, boolean=name in BOOLEAN)
            for name, about in TARGETS.items()
        ],
    )


def _search(name: str) -> MethodInfo:
    method = METHODS.get(name)  # auto is none of them
    takes = OF_AUTO if method is None else method.takes
    online = method is not None and method.online
    return MethodInfo(name=name, about=ABOUT[name], online=online, options=sorted(takes | ANY))
