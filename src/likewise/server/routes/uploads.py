"""/v1/uploads: files that are to become an index: sent in pieces, looked at, dropped."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from likewise.server.access import Role
from likewise.server.causes import Cause
from likewise.server.models.uploads import (
    AskPreview,
    NewUpload,
    UploadFile,
    UploadInfo,
    UploadList,
    UploadPreview,
)
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import ALWAYS, TheOwner, TheParts, TheStop, at_least
from likewise.server.routes.projects import workshop
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.uploads import Upload

router = APIRouter(prefix="/uploads", tags=["projects"], responses=ALWAYS)
WRITE = [at_least(Role.write)]
UploadId = Annotated[str, Path(max_length=100, examples=["u-7Qd1…"])]
MOST = (1 << 53) - 1  # that every JSON has exactly
PIECE: dict[str, Any] = {
    "requestBody": {
        "description": "Bytes of the file.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("", dependencies=WRITE)
def list_uploads(parts: TheParts, owner: TheOwner) -> UploadList:
    """Your own that are complete: to go on with, or being made into an index."""
    found = map(_info, parts.uploads.of(owner))  # each is looked at once: it may end meanwhile
    return UploadList(uploads=[one for one in found if one.state in ("ready", "making")])


@router.post("", status_code=201, dependencies=WRITE, responses=documented(507))
def begin_upload(parts: TheParts, new: NewUpload, owner: TheOwner) -> UploadInfo:
    """Say which files will be sent."""
    return _info(parts.uploads.begin(new.files, owner))


@router.get("/{id}", dependencies=WRITE, responses=documented(404))
def get_upload(parts: TheParts, id: UploadId, owner: TheOwner) -> UploadInfo:
    """How far it is."""
    return _info(parts.uploads.get(id, owner))


@router.get("/{id}/files/{number}", dependencies=WRITE, responses=documented(404))
def get_upload_file(
    parts: TheParts, id: UploadId, number: Annotated[int, Path(ge=0, le=MOST)], owner: TheOwner
) -> UploadFile:
    """How much of a file is there; files are counted from 0."""
    file = parts.uploads.get(id, owner).file(number)
    return UploadFile(name=file.name, size=file.size, received=file.received)


@router.put(
    "/{id}/files/{number}",
    dependencies=WRITE,
    responses=documented(404, 409, 507),
    openapi_extra=PIECE,
)
async def put_upload_piece(
    request: Request,
    parts: TheParts,
    id: UploadId,
    number: Annotated[int, Path(ge=0, le=MOST)],
    owner: TheOwner,
    offset: Annotated[int, Query(ge=0, le=MOST)] = 0,
) -> UploadFile:
    """Send a piece of a file as it is (Content-Type: application/octet-stream); `offset` is where
    it begins, which must be where the last one ended.
    """
    upload, piece = parts.uploads.get(id, owner), await request.body()
    work = partial(parts.uploads.write, upload, number, offset, piece)
    file = await to_thread.run_sync(work)
    return UploadFile(name=file.name, size=file.size, received=file.received)


@router.delete("/{id}", status_code=204, dependencies=WRITE, responses=documented(404))
def drop_upload(parts: TheParts, id: UploadId, owner: TheOwner) -> None:
    """Remove the files, and end what is at work with them."""
    parts.uploads.drop(parts.uploads.get(id, owner))


@router.post(
    "/{id}/preview",
    dependencies=WRITE,
    response_model=UploadPreview,
    responses=ACCEPTED | documented(404, 409, 503, 507),
)
async def preview_upload(
    parts: TheParts,
    id: UploadId,
    asked: AskPreview,
    owner: TheOwner,
    stop: TheStop,
    wait: Annotated[float, Query(ge=0, le=60)] = 0,
) -> Response:
    """What is in the files, as a job: records, fields, duplicates, labels, what cannot be read."""
    upload = parts.uploads.get(id, owner)
    if upload.state != "ready":
        raise ProblemError(Cause.not_ready, "the files are not complete, or are an index already")
    served = None if asked.index is None else parts.indexes[asked.index]
    with upload.lock:
        before, job = upload.looking or (None, None)
        if job is None or before != asked or job.is_finished:
            if job is not None:
                job.cancel()
            work = partial(workshop(parts).look, upload, asked.reading, served)
            job = parts.jobs.build(asked.index or "", work, parts.indexes.folders, owner)
            upload.looking = (asked, job)
    return await result_or_job(parts.jobs, job, wait, stop, cancel=False)


def _info(upload: Upload) -> UploadInfo:
    return UploadInfo(
        id=upload.id,
        state=upload.state,
        size=upload.size,
        received=upload.received,
        count=len(upload.files),
        first=upload.files[0].name,
        index=upload.index,
        job=upload.job.id if upload.job else None,
    )
