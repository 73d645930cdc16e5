"""/v1/methods: what `method`, `options`, `selection` and `weighting` may be.

It repeats the library's tables, so that nobody else has to.
"""

from __future__ import annotations

from fastapi import APIRouter

from likewise.feedback import ABOUT, SELECTIONS
from likewise.search.methods import METHODS
from likewise.server.models.methods import FeedbackInfo, MethodInfo, Methods
from likewise.server.routes.common import ALWAYS
from likewise.weighting import WEIGHTINGS

router = APIRouter(tags=["search"], responses=ALWAYS)
ANY = {"views"}  # options that every method takes
AUTO = MethodInfo(
    name="auto",
    about="chosen by the examples, the views of the index and the budget",
    online=False,
    options=sorted(METHODS["steady"].takes | ANY | {"budget"}),  # the learner that it tunes
)


@router.get("/methods")
async def list_methods() -> Methods:
    """The methods that learn from examples and from judgements, and what they take."""
    return Methods(
        search=[AUTO, *(_search(name) for name in METHODS)],
        feedback=[FeedbackInfo(name=name, about=about) for name, about in ABOUT.items()],
        selections=list(SELECTIONS),
        weightings=list(WEIGHTINGS),
    )


def _search(name: str) -> MethodInfo:
    method = METHODS[name]
    options = sorted(method.takes | ANY)
    return MethodInfo(name=name, about=method.about, online=method.online, options=options)
