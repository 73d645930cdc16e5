"""Small files of each kind that is read apart, to be mutated."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import xlsxwriter

from helpers import papers

WORDS = "Penguins walk for days and swim for weeks in cold water."


def seeds() -> dict[str, bytes]:
    """A file of each format, by its suffix."""
    table = pa.table({"id": ["a", "b"], "text": [WORDS, "two"]})
    parquet, arrow, sheet = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pq.write_table(table, parquet)
    feather.write_feather(table, arrow)
    with xlsxwriter.Workbook(sheet) as book:
        book.add_worksheet().write_row(0, 0, ["id", "text"])
        book.worksheets()[0].write_row(1, 0, ["a", WORDS])
    return {
        ".pdf": papers.pdf([WORDS, WORDS], "A title in large type", {"Author": "Ada"}),
        ".html": f"<html><title>T</title><main><p class=a>{WORDS}</p></main></html>".encode(),
        ".docx": papers.docx(["# Title", WORDS], author="Ada", notes="A note"),
        ".odt": papers.odt([WORDS], title="T"),
        ".pptx": papers.pptx([["One", WORDS], ["Two"]], notes="Say"),
        ".epub": papers.epub([WORDS], title="T"),
        ".eml": papers.LETTER,
        ".mbox": b"From ada\n" + papers.LETTER + b"\nFrom bo\nSubject: x\n\ny\n",
        ".ipynb": papers.notebook([("markdown", "# T"), ("code", "1")]),
        ".xlsx": sheet.getvalue(),
        ".parquet": parquet.getvalue(),
        ".feather": arrow.getvalue(),
        ".zip": papers.zipped({"a.txt": WORDS, "b.csv": "id,text\n1,one\n"}),
    }


def mutated(data: bytes, changes: list[tuple[str, float, bytes]]) -> bytes:
    """The file with some bytes replaced, put in or cut away, each at a share of its length."""
    for kind, share, new in changes:
        at = int(share * len(data))
        if kind == "replace":
            data = data[:at] + new + data[at + len(new) :]
        elif kind == "insert":
            data = data[:at] + new + data[at:]
        elif kind == "repeat":
            data = data[:at] + data[at : at + 50] * (len(new) + 1) + data[at + 50 :]
        else:
            data = data[:at]
    return data
