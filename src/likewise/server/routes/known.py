"""What is known before a review begins: papers among the records, and labels in them."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.document import Document
from likewise.reviews.labels import counts
from likewise.server.models.sessions import FoundPaper, Known, KnownPapers, LabelCounts
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheParts
from likewise.server.search import check_sizes

router = APIRouter(prefix="/indexes/{index}", tags=["sessions"], responses=ALWAYS | INDEX)


@router.post("/known")
def look_up_known(served: TheIndex, parts: TheParts, given: KnownPapers) -> Known:
    """Which records some papers are: by id, DOI, PMID or title. Nothing is kept."""
    check_sizes({"names and papers": (len(given.names) + len(given.papers), parts.limits.examples)})
    index = served.newest
    papers = [
        Document.from_values({**one.fields, "title": one.title, "text": one.text}, one.id or None)
        for one in given.papers
    ]
    found = index.reviews.look_up([*given.names, *papers])
    titles = {one.id: one.title for one in index.documents({match.id for match in found.found})}
    outside = {id(paper) for paper in found.outside}
    return Known(
        found=[
            FoundPaper(given=one.given, id=one.id, title=titles[one.id], by=one.by)
            for one in found.found
        ],
        outside=[place for place, paper in enumerate(papers) if id(paper) in outside],
        unknown=list(found.unknown),
    )


@router.get("/labels")
def get_labels(served: TheIndex) -> LabelCounts:
    """How many records have a label in them, as of an earlier screening."""
    return LabelCounts(labels=counts(served.newest.searcher))
