"""Jupyter notebooks: text and code in order, without what the code has put out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from likewise.errors import InputError, sentence
from likewise.readers.files.one import one_document, whole
from likewise.readers.plain import split_title

if TYPE_CHECKING:
    from likewise.readers.streams import Source

Lines = str | list[str]


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: Lines = ""
    input: Lines = ""  # of code, in the third version of the format


class _Sheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []
    metadata: dict[str, Any] = {}


def _ipynb(source: Source) -> dict[str, Any]:
    try:
        book = msgspec.json.decode(whole(source), type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{source.name} is no notebook: {sentence(error)}") from error
    cells = [*book.cells, *(cell for sheet in book.worksheets for cell in sheet.cells)]
    title, texts = str(book.metadata.get("title") or ""), []
    for cell in cells:
        text = _joined(cell.source or cell.input)
        if cell.cell_type == "markdown" and not title:
            title, text = split_title(text)
        texts.append(text.strip())
    authors = book.metadata.get("authors")
    names = [one.get("name") for one in authors or () if isinstance(one, dict)]
    return {
        "title": title,
        "authors": [name for name in names if isinstance(name, str)],
        "text": "\n\n".join(filter(None, texts)),
    }


def _joined(lines: Lines) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


read_ipynb = one_document(_ipynb)
