"""Letters: .eml files of one, .mbox files of many. Attachments are named, not read."""

from __future__ import annotations

import email
import email.policy
from email.errors import MessageError
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError, sentence
from likewise.readers.encodings import decoded
from likewise.readers.files.html import plain_text
from likewise.readers.files.one import one_document, tidy, whole
from likewise.readers.records import Entry, batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage

    from likewise.readers.batch import Batch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

LARGEST_LETTER = 1 << 26  # bytes
MOST_PARTS = 1000
HEADERS = {"from": "from", "to": "to", "cc": "cc"}
BROKEN = (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def _eml(source: Source) -> dict[str, Any]:
    return _letter(whole(source), source)


def read_mbox(source: Source, options: ReadOptions, problems: Problems) -> Iterator[Batch]:
    """One document a letter; its id is the letter's own, or file and number."""
    yield from batches(_entries(source, problems), options, problems)


def _entries(source: Source, problems: Problems) -> Iterator[Entry]:
    for number, (line, data) in enumerate(_letters(source, problems), 1):
        try:
            values = _letter(data, source)
        except InputError as error:
            problems.report(f"{source.name}, line {line}", str(error))
            continue
        id = values.pop("message_id", "") or f"{source.id or source.name}:{number}"
        kept = {key: value for key, value in values.items() if value}
        yield Entry(source.name, line, {"id": id, **kept})


def _letters(source: Source, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Each letter's first line and its bytes: one begins with "From " after an empty line."""
    lines: list[bytes] = []
    first = size = 0
    blank = True
    with source.open() as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LARGEST_LETTER), b""), 1):
            if blank and line.startswith(b"From "):
                yield from _finished(first, lines, size, source, problems)
                lines, first, size = [], number + 1, 0
            elif first:
                size += len(line)
                if size <= LARGEST_LETTER:
                    lines.append(line[1:] if line.startswith(b">From ") else line)
            elif line.strip():
                raise InputError(
                    f"{source.name} is no mbox: its first line does not begin with From"
                )
            blank = not line.strip()
        yield from _finished(first, lines, size, source, problems)


def _finished(
    first: int, lines: list[bytes], size: int, source: Source, problems: Problems
) -> Iterator[tuple[int, bytes]]:
    if size > LARGEST_LETTER:
        message = f"the letter is larger than {LARGEST_LETTER:,} bytes"
        problems.report(f"{source.name}, line {first}", message)
    elif first:
        yield first, b"".join(lines)


def _letter(data: bytes, source: Source) -> dict[str, Any]:
    try:
        message: EmailMessage = email.message_from_bytes(data, policy=email.policy.default)
        values = _headers(message)
        texts, attachments = _body(message, source)
    except BROKEN as error:
        raise InputError(
            f"{source.name} is no letter that can be read: {sentence(error)}"
        ) from error
    if not values and not any(texts):
        raise InputError(f"{source.name} is no letter: it has neither a header nor a text")
    return values | {"attachments": attachments, "text": "\n".join(texts)}


def _headers(message: EmailMessage) -> dict[str, Any]:
    values: dict[str, Any] = {"title": _header(message, "subject")}
    values |= {field: _header(message, header) for header, field in HEADERS.items()}
    values["date"] = _date(_header(message, "date"))
    values["message_id"] = _header(message, "message-id").strip("<>")
    return {field: value for field, value in values.items() if value}


def _header(message: EmailMessage, name: str) -> str:
    """A header as text; some that are broken raise errors of all kinds."""
    try:
        return tidy(str(message.get(name, "")))
    except Exception:  # the header's parser of the standard library
        raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
        return tidy(str(raw))


def _date(written: str) -> str:
    try:
        return parsedate_to_datetime(written).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return written


def _body(message: EmailMessage, source: Source) -> tuple[list[str], list[str]]:
    """The texts of a letter, and the names of what is attached."""
    plain: list[str] = []
    pages: list[str] = []
    attached: list[str] = []
    for number, part in enumerate(message.walk()):
        if number >= MOST_PARTS:
            raise ValueError(f"it has more than {MOST_PARTS} parts")
        if part.is_multipart():
            continue
        kind, name = part.get_content_type(), part.get_filename()
        if name or part.get_content_disposition() == "attachment":
            attached.append(tidy(name or kind))
        elif kind == "text/plain":
            plain.append(_text(part))
        elif kind == "text/html":
            pages.append(plain_text(_text(part), source))
        elif part.get_content_maintype() != "text":
            attached.append(kind)
    return (plain if any(map(str.strip, plain)) else pages), attached


def _text(part: Any) -> str:
    data = part.get_payload(decode=True)
    return decoded(data if isinstance(data, bytes) else b"", part.get_content_charset())


read_eml = one_document(_eml)
