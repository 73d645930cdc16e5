"""/v1/projects: the indexes with their reviews; making, deleting and downloading one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from likewise.readers.formats import FORMATS
from likewise.readers.streams import OPENERS
from likewise.reviews.tables import home_of
from likewise.server import exports
from likewise.server.access import Role
from likewise.server.answers import json_response
from likewise.server.building import Workshop
from likewise.server.causes import Cause
from likewise.server.indexes import ServedIndex
from likewise.server.models.indexes import Added
from likewise.server.models.projects import ChangedProject, Project, ProjectList, Receives
from likewise.server.models.uploads import AddedFiles, MadeIndex, NewIndex
from likewise.server.problems import ProblemError, documented
from likewise.server.routes.common import (
    ALWAYS,
    INDEX,
    Parts,
    TheIndex,
    TheOwner,
    TheParts,
    TheStop,
    at_least,
    in_turn,
)
from likewise.server.routes.waiting import ACCEPTED, result_or_job
from likewise.server.uploads import Upload
from likewise.text import languages
from likewise.writers import Format

router = APIRouter(tags=["projects"], responses=ALWAYS)
WRITE = [at_least(Role.write)]
OWNER = [at_least(Role.owner)]
BACKUP = Format("", (".likewise.zip",), "application/zip", "Backup", "For likewise restore.")
Wait = Annotated[float, Query(ge=0, le=60)]


@router.get("/projects")
def list_projects(
    parts: TheParts,
    archived: Annotated[bool, Query(description="Whether to list archived ones, too.")] = False,
) -> ProjectList:
    """The indexes that are served, with their reviews; the one last used first."""
    parts.indexes.look()
    found = [_project(parts, served) for served in parts.indexes]
    found.sort(key=lambda one: max(one.changed or "", one.last or ""), reverse=True)
    return ProjectList(
        projects=[one for one in found if archived or not one.is_archived],
        creates=parts.indexes.projects is not None,
        archived=sum(one.is_archived for one in found),
    )


@router.patch("/indexes/{index}", dependencies=OWNER, responses=INDEX | documented(409))
async def change_project(served: TheIndex, parts: TheParts, changed: ChangedProject) -> Project:
    """Call a project otherwise, archive it, or take it out of the archive."""

    def work() -> Project:
        with served.writing:
            project = served.newest.project
            if changed.title is not None:
                project.rename(changed.title)
            if changed.archived is not None:
                (project.archive if changed.archived else project.reopen)()
            served.refreshed()
        return _project(parts, served)

    return await in_turn(parts, work)


def _project(parts: Parts, served: ServedIndex) -> Project:
    sessions = parts.reviews.listed(served)
    folder = parts.uploads.projects
    return Project(
        name=served.name,
        title=served.current.project.title,
        documents=len(served.current),
        reviews=sum(not one.archived for one in sessions),
        archived=sum(one.archived for one in sessions),
        changed=_moment(served.changed),
        last=_moment(max((one.last or one.created for one in sessions), default=None)),
        made_here=folder is not None and served.path in folder,
        is_archived=served.current.project.archived,
    )


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@router.get("/projects/about")
async def get_upload_limits(parts: TheParts) -> Receives:
    """What can be sent, and how much of it."""
    limits = parts.limits
    return Receives(
        creates=parts.uploads.projects is not None,
        suffixes=[suffix for one in FORMATS.values() if one.installed for suffix in one.suffixes],
        compressed=list(OPENERS),
        languages=languages(),
        bytes=limits.upload,
        files=limits.upload_files,
        piece=limits.body,
    )


@router.post(
    "/indexes",
    status_code=201,
    dependencies=WRITE,
    response_model=MadeIndex,
    responses=ACCEPTED | documented(404, 409, 503, 507),
)
async def create_index(
    parts: TheParts, new: NewIndex, owner: TheOwner, stop: TheStop, wait: Wait = 0
) -> Response:
    """Make an index: an empty one at once, or one of files that were sent, as a job: the answer is
    202 and the job, unless it is done within `wait` seconds. It is whole when the job is done.
    """
    if new.upload is None:
        return await in_turn(
            parts, lambda: json_response(workshop(parts).create_empty(new), status=201)
        )
    upload = parts.uploads.get(new.upload, owner)
    with upload.lock:
        _refuse_unready(upload)
        path = parts.uploads.folder.begin(new.name)
        shop = workshop(parts)
        try:
            upload.job = parts.jobs.build(
                home_of(path), partial(shop.create, upload, new, path), parts.indexes.folders, owner
            )
        except ProblemError:
            shop.projects.end(path)
            raise
        upload.index = home_of(path)
    return await result_or_job(parts.jobs, upload.job, wait, stop, cancel=False, status=201)


@router.post(
    "/indexes/{index}/files",
    dependencies=WRITE,
    response_model=Added,
    responses=INDEX | ACCEPTED | documented(409, 503, 507),
)
async def add_files_to_index(
    served: TheIndex,
    parts: TheParts,
    asked: AddedFiles,
    owner: TheOwner,
    stop: TheStop,
    wait: Wait = 0,
) -> Response:
    """Add the documents of files that were sent to an index, as a job, in one step."""
    upload = parts.uploads.get(asked.upload, owner)
    with upload.lock:
        _refuse_unready(upload)
        work = partial(workshop(parts).add, upload, asked, served)
        upload.job = parts.jobs.build(served.name, work, parts.indexes.folders, owner)
        upload.index = served.name
    return await result_or_job(parts.jobs, upload.job, wait, stop, cancel=False)


def workshop(parts: Parts) -> Workshop:
    return Workshop(parts.indexes, parts.uploads, parts.uploads.folder, parts.indexes.threads)


def _refuse_unready(upload: Upload) -> None:
    """Raise unless something can be made of it; whoever looks at the files need not any more."""
    if upload.state == "sending":
        raise ProblemError(
            Cause.not_ready, f"{upload.size - upload.received:,} bytes have not come yet"
        )
    if upload.state != "ready":
        raise ProblemError(
            Cause.conflict, "these files are an index already, or about to become one"
        )
    if upload.looking is not None:
        upload.looking[1].cancel()


@router.delete(
    "/indexes/{index}",
    status_code=204,
    dependencies=OWNER,
    responses=INDEX | documented(409),
)
async def delete_index(
    served: TheIndex,
    parts: TheParts,
    name: Annotated[str, Query(description="The name again, to be sure.", examples=["papers"])],
) -> None:
    """Delete an index of the projects folder with all its reviews. There is no way back."""
    folder = parts.uploads.projects
    if folder is None or served.path not in folder:
        raise ProblemError(
            Cause.conflict, f"{served.name} was not made here: delete its folder by hand"
        )
    if name != served.name:
        raise ProblemError(422, f"name is {name!r}: to delete {served.name}, say its name")

    def delete() -> None:
        with served.writing:
            parts.indexes.close(served)
            parts.reviews.delete_all(served)
            parts.searches.saved.delete_all(served)
            folder.remove(served.path)

    await in_turn(parts, delete)


@router.get(
    "/indexes/{index}/backup",
    dependencies=OWNER,
    response_class=StreamingResponse,
    responses=INDEX | exports.described([BACKUP]),
)
def back_up_index(served: TheIndex, parts: TheParts) -> StreamingResponse:
    """The index with all its judgements as one file, which `likewise restore` puts back."""
    return exports.answer(served.name, BACKUP, parts.reviews.backup(served))
