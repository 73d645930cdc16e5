"""/v1/read: the documents of a file, to use them as examples. Nothing is kept."""

from __future__ import annotations

import binascii
from base64 import b64decode

from fastapi import APIRouter

from likewise.errors import InputError
from likewise.readers.preview import COMPRESSED, DEFAULT_LIMITS, TEXT_SUFFIXES, preview
from likewise.server.causes import Cause
from likewise.server.models.files import FileFormats, GivenFile, ReadDocument, ReadFile
from likewise.server.problems import ProblemError
from likewise.server.routes.common import ALWAYS
from likewise.server.wording import without_columns

router = APIRouter(tags=["documents"], responses=ALWAYS)


@router.get("/read")
async def get_file_formats() -> FileFormats:
    """Which files can be read, and how large they may be."""
    return FileFormats(
        suffixes=[*TEXT_SUFFIXES, *(f"{suffix}{COMPRESSED}" for suffix in TEXT_SUFFIXES)],
        bytes=DEFAULT_LIMITS.bytes,
        documents=DEFAULT_LIMITS.documents,
    )


@router.post("/read")
def read_file(given: GivenFile) -> ReadFile:
    """The documents in a file of any format that indexes are made from."""
    try:
        content = b64decode(given.content, validate=True)
    except binascii.Error as error:
        raise ProblemError(Cause.unreadable, f"content is not base64: {error}") from error
    try:
        found = preview(given.name, content, format=given.format)
    except InputError as error:
        raise ProblemError(Cause.unreadable, without_columns(str(error))) from error
    documents = [
        ReadDocument(id=one.id, title=one.title, text=one.text, fields=one.fields)
        for one in found.documents
    ]
    return ReadFile(
        documents=documents, problems=[without_columns(str(one)) for one in found.problems]
    )
