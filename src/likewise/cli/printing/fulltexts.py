"""PDFs of a review: what was attached, what there is, and files written from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.failures import note, say
from likewise.cli.printing import stdout
from likewise.cli.printing.text import one_line, table
from likewise.cli.printing.units import count

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.reviews.fulltexts import Attached, FullText, FullTexts


def print_attached(found: Attached, *, json: bool) -> None:
    if json:
        left = [one._asdict() for one in found.left]
        attached = [_values(one) for one in found.attached]
        stdout.put(stdout.as_json({"attached": attached, "left": left}), "utf-8")
        return
    for one in found.attached:
        stdout.put(f"{one_line(one.name)}  ->  {one_line(one.document)}\n")
    for other in found.left:
        say(f"left out: {one_line(str(other))}")
    note(f"{count(len(found.attached), 'PDF')} attached, {len(found.left):,} left out")


def print_list(texts: FullTexts, *, json: bool) -> None:
    attached = texts.attached()
    if json:
        rows = [_values(one) for one in attached]
        stdout.put(stdout.as_json({"attached": rows, "missing": texts.missing()}), "utf-8")
        return
    lines = [(str(one.number), one.document, f"{one.size:,}", one.by, one.name) for one in attached]
    if lines:
        stdout.put(table([("number", "record", "bytes", "by", "file"), *lines], None))


def save(texts: FullTexts, folder: Path) -> None:
    """Each as NUMBER NAME, so that no two are one file."""
    from likewise.store.disk import replace_file

    folder.mkdir(parents=True, exist_ok=True)
    attached = texts.attached()
    for one in attached:
        replace_file(folder / f"{one.number} {one.name}", [texts.read(one)])
    note(f"{count(len(attached), 'PDF')} written to {folder}")


def where(found: list[FullText]) -> str:
    """Where the PDFs of a record are, in a line."""
    if not found:
        return "full text: no PDF yet"
    places = [
        str(one.path) if one.path else f"{one.name} (attached, {one.number})" for one in found
    ]
    return f"full text: {', '.join(map(one_line, places))}"


def _values(one: FullText) -> dict[str, object]:
    return one._asdict() | {"path": None if one.path is None else str(one.path)}
