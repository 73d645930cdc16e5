"""Readers beside the libraries that they stand on, and a folder of PDFs on all cores."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pypdfium2
import python_calamine
import xlsxwriter
from selectolax.lexbor import LexborHTMLParser

from harness import take_turns
from likewise import Index
from likewise.readers import Problems, ReadOptions
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.streams import Source
from make_pdfs import make_pdf, make_pdfs, texts
from rows import Row, at_most

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from helpers import papers

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise import Document
    from workspace import Workspace

METHOD = (
    "A file in memory to documents, in one process, MB of the file a second; the peer is the "
    "library that the reader stands on, doing the least that gives the same text. Files are made "
    "of the abstracts that come with likewise. The last line: a folder of 1,000 PDFs of ten pages "
    "to a finished index without a latent space, on all cores."
)
PACKAGES = ("likewise", "pypdfium2", "selectolax", "python-calamine", "pyarrow", "msgspec")
ROUNDS = 5
RECORDS = 2000
PDFS = 1000


def rows(workspace: Workspace) -> list[Row]:
    some = texts(10, 50)
    documents = [one for chosen in some for one in chosen][:RECORDS]
    found = [
        _compared(workspace, suffix, data, peer, read)
        for suffix, (data, peer, read) in _files(documents, some[0]).items()
    ]
    return [*found, _folder(workspace)]


def _compared(
    workspace: Workspace, suffix: str, data: bytes, peer: str, read: Callable[[bytes], object]
) -> Row:
    candidates = {"likewise": lambda: _ours(suffix, data), peer: lambda: read(data)}
    timings = take_turns(candidates, workspace.rounds(ROUNDS))
    megabytes = len(data) / 1e6
    speeds = {name: timing.rate(megabytes) for name, timing in timings.items()}
    return Row(f"{suffix} file", "MB/s", speeds["likewise"], peer, speeds[peer], more=True)


def _ours(suffix: str, data: bytes) -> int:
    source = Source(f"a{suffix}", f"a{suffix}", None, SUFFIXES[suffix], content=data)
    batches = FORMATS[source.format].load()(source, ReadOptions(), Problems())
    return sum(map(len, batches))


def _folder(workspace: Workspace) -> Row:
    folder = workspace.directory / "pdfs"
    number = 4 if workspace.quick else PDFS
    make_pdfs(folder, number)
    target = workspace.directory / "pdfs.idx"
    timings = take_turns(
        {"likewise": lambda: Index.create(target, latent=0).add(folder)},
        workspace.rounds(2),
        before=lambda _: workspace.fresh(target.name),
        warm_up=False,
    )
    took = timings["likewise"].scaled(1)
    return Row(f"{number:,} PDFs of ten pages", "s", took, goal=at_most(90))


def _files(
    documents: list[Document], paper: list[Document]
) -> dict[str, tuple[bytes, str, Callable[[bytes], object]]]:
    """A file of each format, its library, and the least that reads it with that."""
    values = [{"id": one.id, "title": one.title, "text": one.text} for one in documents]
    paragraphs = [one.text for one in paper]
    page = "".join(f"<p>{text.replace('<', '&lt;')}</p>" for text in paragraphs)
    letters = b"".join(
        b"From x\nSubject: s\n\n" + one.text.encode("ascii", "replace") + b"\n\n"
        for one in documents
    )
    return {
        ".txt": ("\n".join(paragraphs).encode(), "bytes.decode", bytes.decode),
        ".jsonl": (
            msgspec.json.Encoder().encode_lines(values), "msgspec",
            msgspec.json.Decoder().decode_lines,
        ),
        ".csv": (_csv(values), "csv of Python", lambda data: list(_csv_rows(data))),
        ".pdf": (make_pdf(paper, 10), "pypdfium2", _pdf),
        ".html": (f"<html><body>{page}</body></html>".encode(), "selectolax", _html),
        ".docx": (papers.docx(paragraphs), "zipfile, unpacking", _unpacked),
        ".odt": (papers.odt(paragraphs), "zipfile, unpacking", _unpacked),
        ".pptx": (papers.pptx([[text] for text in paragraphs]), "zipfile, unpacking", _unpacked),
        ".epub": (papers.epub(paragraphs, title="T"), "zipfile, unpacking", _unpacked),
        ".mbox": (letters, "email of Python", _letters),
        ".ipynb": (papers.notebook([("code", text) for text in paragraphs]), "json", json.loads),
        ".xlsx": (_sheet(values), "python-calamine", _cells),
        ".parquet": (_parquet(values), "pyarrow", _parquet_rows),
    }  # fmt: skip


def _csv(values: list[dict[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "title", "text"])
    writer.writeheader()
    writer.writerows(values)
    return out.getvalue().encode()


def _csv_rows(data: bytes) -> csv.DictReader[str]:
    return csv.DictReader(io.StringIO(data.decode(), newline=""))


def _pdf(data: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data)]


def _html(data: bytes) -> str:
    body = LexborHTMLParser(data.decode()).body
    assert body is not None
    return body.text(separator="\n")


def _unpacked(data: bytes) -> list[bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return [file.read(name) for name in file.namelist()]


def _letters(data: bytes) -> list[str]:
    parts = data.split(b"From x\n")[1:]
    parsed = (email.message_from_bytes(part, policy=email.policy.default) for part in parts)
    return [str(one["subject"]) + str(one.get_payload()) for one in parsed]


def _sheet(values: list[dict[str, str]]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(
            [["id", "title", "text"], *(list(v.values()) for v in values)]
        ):
            sheet.write_row(number, 0, row)
    return out.getvalue()


def _cells(data: bytes) -> list[list[object]]:
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    return list(book.get_sheet_by_index(0).to_python())


def _parquet(values: list[dict[str, str]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(values), out)
    return out.getvalue()


def _parquet_rows(data: bytes) -> list[dict[str, object]]:
    return list(pq.read_table(io.BytesIO(data)).to_pylist())
