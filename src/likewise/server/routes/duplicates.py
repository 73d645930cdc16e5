"""/v1/indexes/{index}/duplicates: records of the same paper."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from likewise.duplicates.groups import Group
from likewise.index import Index
from likewise.server.answers import encoded
from likewise.server.models.duplicates import DuplicateGroup, DuplicateList, DuplicateRecord
from likewise.server.problems import documented
from likewise.server.routes.common import ALWAYS, INDEX, TheIndex, TheOwner, TheParts, TheStop
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.search import check_sizes
from likewise.server.stop import Stop

router = APIRouter(prefix="/indexes/{index}/duplicates", tags=["indexes"], responses=ALWAYS | INDEX)
MOST = 1_000  # groups of an answer


@router.get("", response_model=DuplicateList, responses=ACCEPTED | documented(503))
async def list_duplicates(
    served: TheIndex,
    parts: TheParts,
    owner: TheOwner,
    stop: TheStop,
    threshold: Annotated[float, Query(gt=0, le=1)] = 0.8,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
    wait: Annotated[float, Query(ge=0, le=60)] = 10,
) -> Response:
    """Groups of records of the same paper, the largest first.

    They are computed once for a generation, as a job: the answer is 202 and the job, unless it is
    done within `wait` seconds.
    """
    check_sizes({"offset": (offset, parts.limits.results)})
    seconds = parts.limits.seconds

    def work(index: Index, stop: Stop) -> bytes:
        found = index.duplicates(threshold, progress=lambda done, total: stop.report(0, 0.0, 0.0))
        groups = [_shown(index, group, stop) for group in found.groups[offset : offset + limit]]
        return encoded(
            DuplicateList(
                generation=index.generation,
                documents=found.documents,
                duplicates=found.extra,
                count=len(found.groups),
                groups=groups,
            )
        )

    job = parts.jobs.submit(
        served.name,
        lambda report: work(served.current, Stop(seconds, report)),
        parts.indexes.folders,
        owner,
    )
    return await result_or_job(parts.jobs, job, wait, stop)


def _shown(index: Index, group: Group, stop: Stop) -> DuplicateGroup:
    stop.report(0, 0.0, 0.0)
    documents = index.documents(group.ids)
    members = [
        DuplicateRecord(**one._asdict(), fields=document.fields)
        for one, document in zip(group.members, documents, strict=True)
    ]
    return DuplicateGroup(members=members)
