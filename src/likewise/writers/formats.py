"""The formats that can be written. A new one is a function and a line here.

The command line, the HTTP interface and the page take their lists from this table.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol

from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import PurePath

    from likewise.writers.record import Record


class Writer(Protocol):
    """Turns records into the bytes of a file, piece by piece.

    A table has the columns `always`, also where no record has them.
    """

    def __call__(self, records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]: ...


class Format(NamedTuple):
    """A writer by name, imported on use, and what people and programs know its files by.

    `rows` says that a document which several people judged has a row for each of them; other
    formats have one record a document. `needs` is the module that writes it, if that comes with
    the extra.
    """

    writer: str
    suffixes: tuple[str, ...]
    media_type: str
    title: str
    about: str
    rows: bool = False
    text: bool = True
    needs: str = ""

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    def load(self) -> Writer:
        module, _, function = self.writer.partition(":")
        writer: Writer = getattr(import_module(f"likewise.writers.{module}"), function)
        return writer


FORMATS = {
    "csv": Format(
        "delimited:write_csv",
        (".csv",),
        "text/csv",
        "CSV",
        "A table for spreadsheets and programs.",
        rows=True,
    ),
    "xlsx": Format(
        "xlsx:write_xlsx",
        (".xlsx",),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "Excel",
        "A table for Excel, LibreOffice and others.",
        rows=True,
        text=False,
        needs="xlsxwriter",
    ),
    "ris": Format(
        "ris:write_ris",
        (".ris",),
        "application/x-research-info-systems",
        "RIS",
        "References for Zotero, EndNote, Covidence, ASReview and others.",
    ),
    "nbib": Format(
        "medline:write_nbib",
        (".nbib",),
        "application/nbib",
        "NBIB",
        "References as PubMed has them (MEDLINE).",
    ),
    "endnote-xml": Format(
        "endnote:write_endnote",
        (".xml",),
        "application/xml",
        "EndNote XML",
        "References for EndNote.",
    ),
    "bibtex": Format(
        "bibtex:write_bibtex",
        (".bib",),
        "application/x-bibtex",
        "BibTeX",
        "References for LaTeX.",
    ),
    "csl-json": Format(
        "csl:write_csl",
        (".json",),
        "application/vnd.citationstyles.csl+json",
        "CSL-JSON",
        "References for Zotero, Pandoc and others.",
    ),
    "jsonl": Format(
        "jsonl:write_jsonl",
        (".jsonl", ".ndjson"),
        "application/jsonl",
        "JSON lines",
        "For programs, one object a line.",
        rows=True,
    ),
    "parquet": Format(
        "parquet:write_parquet",
        (".parquet",),
        "application/vnd.apache.parquet",
        "Parquet",
        "A table for pandas, polars, DuckDB and others.",
        rows=True,
        text=False,
        needs="pyarrow",
    ),
}


def format_of(path: PurePath | None, name: str | None) -> str:
    """The format that was asked for, or that the suffix tells."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"unknown format {name!r}: choose {', '.join(FORMATS)}")
        return name
    suffix = path.suffix.lower() if path else ""
    for known, format in FORMATS.items():
        if suffix in format.suffixes:
            return known
    raise UsageError(f"the suffix of {path} does not tell its format: say {', '.join(FORMATS)}")


def refuse_missing(name: str) -> None:
    """Refuse a format whose package is not installed, before any work is done for it."""
    needs = FORMATS[name].needs if name in FORMATS else ""
    if needs and find_spec(needs) is None:
        raise UsageError(f"writing {name} needs {needs}: pip install 'likewise[formats]'")


def written(name: str, records: Iterable[Record], always: Sequence[str] = ()) -> Iterator[bytes]:
    """The records as a file of this format, piece by piece.

    Tables have the columns `always`, also where there are no records.
    """
    refuse_missing(format_of(None, name))
    return FORMATS[name].load()(records, always)
