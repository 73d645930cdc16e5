"""The formats that can be read, as a table or JSON, and the names of those that are written."""

from __future__ import annotations

from likewise.cli.printing import stdout
from likewise.readers.formats import EXTRA, FORMATS, Format, distribution
from likewise.writers.formats import FORMATS as WRITTEN


def print_formats(*, json: bool) -> None:
    if json:
        listed = [_values(name, format) for name, format in FORMATS.items()]
        stdout.put(stdout.as_json({"formats": listed, "written": list(WRITTEN)}), "utf-8")
        return
    rows = [("format", "suffixes", "needs", "documents")]
    rows += [_row(name, format) for name, format in FORMATS.items()]
    stdout.put_table(rows, right=0)
    stdout.put(f"written by search, show and judgements --format: {', '.join(WRITTEN)}\n")
    if not all(format.installed for format in FORMATS.values()):
        stdout.put(f"what is missing: pip install 'likewise[{EXTRA}]'\n")


def _values(name: str, format: Format) -> dict[str, object]:
    return {
        "name": name,
        "suffixes": format.suffixes,
        "documents": format.documents.replace("`", ""),
        "id": format.id.replace("`", ""),
        "needs": distribution(format.needs) or None,
        "extra": EXTRA if format.needs else None,
        "installed": format.installed,
    }


def _row(name: str, format: Format) -> tuple[str, str, str, str]:
    missing = "" if format.installed else " (missing)"
    documents = format.documents.replace("`", "")
    return name, " ".join(format.suffixes), f"{distribution(format.needs)}{missing}", documents
