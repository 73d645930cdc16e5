"""Small files of every kind, made from text: PDF, office files, e-books, letters, notebooks."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKED = "http://schemas.openxmlformats.org/package/2006/relationships"
DC = "http://purl.org/dc/elements/1.1/"


def zipped(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return out.getvalue()


def pdf(
    pages: list[str], title: str = "", said: dict[str, str] | None = None, compress: bool = False
) -> bytes:
    """Text in Helvetica, ten points or what a line begins with ("24| …"); the title in twenty."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", FONT]
    kids = []
    for number, page in enumerate(pages):
        stream = _drawn(page, title if not number else "")
        coded = b""
        if compress:
            stream, coded = zlib.compress(stream), b" /Filter /FlateDecode"
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(stream), coded, stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    info = b" ".join(b"/%s (%s)" % (k.encode(), _pdf_text(v)) for k, v in (said or {}).items())
    objects.append(b"<< %s >>" % info)
    return _assembled(objects)


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def _drawn(page: str, title: str) -> bytes:
    lines = [b"BT /F1 20 Tf 50 740 Td (%s) Tj ET" % _pdf_text(title)] if title else []
    for number, line in enumerate(page.split("\n")):
        size, mark, rest = line.partition("| ")
        points, shown = (int(size), rest) if mark and size.isdigit() else (10, line)
        place = (points, 710 - 12 * number, _pdf_text(shown))
        lines.append(b"BT /F1 %d Tf 50 %d Td (%s) Tj ET" % place)
    return b"\n".join(lines)


def _pdf_text(text: str) -> bytes:
    data = text.encode("cp1252", "replace")
    return data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _assembled(objects: list[bytes]) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    n = len(objects)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (n + 1, table, n + 1, n, len(out))
    )


def docx(paragraphs: list[str], *, title: str = "", author: str = "", notes: str = "") -> bytes:
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>'
        + "".join(map(_word, paragraphs))
        + "</w:body></w:document>",
        "docProps/core.xml": _core(title, author),
    }
    if notes:
        body = f'<w:footnotes xmlns:w="{WORD}">{_word(notes)}</w:footnotes>'
        parts["word/footnotes.xml"] = body
    return zipped(parts)


def _word(paragraph: str) -> str:
    """A paragraph in two runs; one that begins with # has the style of a title."""
    style = '<w:pPr><w:pStyle w:val="Title"/></w:pPr>' if paragraph.startswith("# ") else ""
    text = paragraph.removeprefix("# ")
    half = len(text) // 2
    runs = "".join(
        f'<w:r><w:t xml:space="preserve">{escape(part)}</w:t></w:r>'
        for part in (text[:half], text[half:])
    )
    return f"<w:p>{style}{runs}</w:p>"


def _core(title: str, author: str) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="core" xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title>'
        f"<dc:creator>{escape(author)}</dc:creator><cp:keywords>one; two</cp:keywords>"
        "</cp:coreProperties>"
    )


def odt(paragraphs: list[str], *, title: str = "", author: str = "") -> bytes:
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    body = "".join(
        f"<text:p>{escape(one)}<text:s/><text:span>more</text:span></text:p>" for one in paragraphs
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f'<o:document-content xmlns:o="{office}" xmlns:text="{text}"><o:body>'
            f"<o:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>{body}"
            "</o:text></o:body></o:document-content>",
            "meta.xml": f'<o:document-meta xmlns:o="{office}" xmlns:dc="{DC}"><o:meta>'
            f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
            "</o:meta></o:document-meta>",
        }
    )


def pptx(slides: list[list[str]], notes: str = "") -> bytes:
    """Slides that are named against their order."""
    names = [f"slides/slide{len(slides) - number}.xml" for number in range(len(slides))]
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{RELATED}">'
        "<p:sldIdLst>"
        + "".join(f'<p:sldId id="{256 + i}" r:id="rId{i}"/>' for i in range(len(slides)))
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{PACKED}">'
        + "".join(f'<Relationship Id="rId{i}" Target="{name}"/>' for i, name in enumerate(names))
        + "</Relationships>",
    }
    for name, lines in zip(names, slides, strict=True):
        parts[f"ppt/{name}"] = _slide(lines)
    if notes:
        folder, _, last = names[0].partition("/")
        parts[f"ppt/{folder}/_rels/{last}.rels"] = (
            f'<Relationships xmlns="{PACKED}">'
            '<Relationship Id="rId1" Target="../notesSlides/notesSlide1.xml"/></Relationships>'
        )
        parts["ppt/notesSlides/notesSlide1.xml"] = _slide([notes])
    return zipped(parts)


def _slide(lines: list[str]) -> str:
    body = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    return f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:txBody>{body}</p:txBody></p:sld>'


def epub(chapters: list[str], *, title: str = "", author: str = "") -> bytes:
    opf = "http://www.idpf.org/2007/opf"
    items = "".join(f'<item id="c{i}" href="c%20{i}.xhtml"/>' for i in range(len(chapters)))
    order = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/>'
        "</rootfiles></container>",
        "OPS/book.opf": f'<package xmlns="{opf}"><metadata xmlns:dc="{DC}">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f"<dc:date>2019-05-01</dc:date></metadata><manifest>{items}</manifest>"
        f"<spine>{order}</spine></package>",
    }
    for i, chapter in enumerate(chapters):
        parts[f"OPS/c {i}.xhtml"] = (
            f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>{escape(chapter)}</p></body></html>"
        )
    return zipped(parts)


def notebook(cells: list[tuple[str, str]]) -> bytes:
    listed = [
        {"cell_type": kind, "source": text.splitlines(keepends=True), "outputs": ["left out"]}
        for kind, text in cells
    ]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4}).encode()


LETTER = b"""From: Ada Lovelace <ada@example.org>
To: charles@example.org
Subject: =?utf-8?q?The_Engine=E2=80=99s_notes?=
Date: Mon, 10 Jul 1843 09:30:00 +0000
Message-ID: <note-g@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=cut

--cut
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The na=EFve machine weaves algebraic patterns.
--inner
Content-Type: text/html

<p>The naive machine <b>weaves</b> algebraic patterns.</p>
--inner--
--cut
Content-Type: application/pdf; name="table.pdf"
Content-Disposition: attachment; filename="table.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--cut--
"""
