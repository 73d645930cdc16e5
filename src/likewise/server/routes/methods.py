"""/v1/methods: what `method`, `options`, `selection` and `weighting` may be.

It repeats the library's tables, so that nobody else has to.
"""

from __future__ import annotations

from fastapi import APIRouter

from likewise.feedback import FEEDBACK, SELECTIONS
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
AUTO_FEEDBACK = FeedbackInfo(name="auto", about="chosen by what has been judged so far")


@router.get("/methods")
async def list_methods() -> Methods:
    """The methods that learn from examples and from judgements, and what they take."""
    return Methods(
        search=[AUTO, *(_search(name) for name in METHODS)],
        feedback=[AUTO_FEEDBACK, *(_feedback(name) for name in FEEDBACK)],
        selections=list(SELECTIONS),
        weightings=list(WEIGHTINGS),
    )


def _search(name: str) -> MethodInfo:
    method = METHODS[name]
    options = sorted(method.takes | ANY)
    return MethodInfo(name=name, about=method.about, online=method.online, options=options)


def _feedback(name: str) -> FeedbackInfo:
    return FeedbackInfo(name=name, about=FEEDBACK[name].about)
