"""The formats that can be read. A new one is a function and a line here.

This table is the one home of what is known about a format: `likewise formats` prints it, and the
table in docs/indexing.md is tested against it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from likewise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source

EXTRA = "formats"  # the extra that brings every library named below


class Reader(Protocol):
    """Turns a source into batches; reports what it has to leave out and raises InputError."""

    def __call__(
        self, source: Source, options: ReadOptions, problems: Problems
    ) -> Iterator[AnyBatch]: ...


class Format(NamedTuple):
    """A reader by name, imported on use.

    `documents` says what becomes of a file and `id` what its documents are called. `needs` is the
    module that reads it, if that comes with the extra. `columns`: it takes column options;
    `vectors`: it yields vectors. `apart`: it is read in a process of its own, since a library may
    crash on a file, and since it takes long enough for several cores to share. `holds` other files.
    """

    reader: str
    suffixes: tuple[str, ...]
    documents: str
    id: str
    needs: str = ""
    columns: bool = False
    vectors: bool = False
    apart: bool = False
    holds: bool = False

    def load(self) -> Reader:
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"likewise.readers.{module}"), function)
        return reader

    @property
    def installed(self) -> bool:
        return not self.needs or find_spec(self.needs) is not None


FILE = "the path"
RECORD = "its `id`"
ROW = "file and row"
REFERENCE = "its own, accession number, PMID or DOI, or a hash of title, author and year"

FORMATS = {
    "text": Format(
        "plain:read_text",
        (".txt",),
        "one a file, the first line is the title; unless it holds RIS, nbib or BibTeX",
        FILE,
    ),
    "markdown": Format(
        "plain:read_markdown",
        (".md", ".markdown"),
        "one a file; the title: of the front matter, the first `# heading`, or the first line",
        FILE,
    ),
    "jsonl": Format(
        "jsonl:read_jsonl",
        (".jsonl", ".ndjson"),
        "one a line, a JSON object",
        RECORD,
        columns=True,
    ),
    "csv": Format(
        "delimited:read_csv",
        (".csv",),
        "one a row; separated by commas, semicolons or tabs, whichever the header has most of",
        RECORD,
        columns=True,
    ),
    "tsv": Format("delimited:read_tsv", (".tsv", ".tab"), "one a row", RECORD, columns=True),
    "ris": Format(
        "references.ris:read_ris",
        (".ris",),
        "one a record; labels that ASReview wrote into notes become the field `label`",
        REFERENCE,
        columns=True,
    ),
    "nbib": Format(
        "references.medline:read_medline",
        (".nbib", ".medline"),
        "one a record of PubMed",
        "its PMID",
        columns=True,
    ),
    "bibtex": Format(
        "references.bibtex:read_bibtex",
        (".bib", ".bibtex"),
        "one an entry of BibTeX or BibLaTeX, LaTeX as plain text",
        "its key",
        columns=True,
    ),
    "json": Format(
        "references.json:read_json",
        (".json",),
        "one an object of an array, CSL-JSON or any other",
        RECORD,
        columns=True,
    ),
    "xml": Format(
        "references.xml:read_xml",
        (".xml",),
        "one a record of PubMed or EndNote",
        "its PMID, or number in EndNote",
        columns=True,
    ),
    "asreview": Format(
        "asreview:read_asreview",
        (".asreview",),
        "one a record of a project of ASReview; what was decided becomes `asreview_label`",
        "as of the file in it",
        columns=True,
    ),
    "pdf": Format(
        "files.pdf:read_pdf",
        (".pdf",),
        "one a file: its text layer; title, authors and DOI where they can be found",
        FILE,
        needs="pypdfium2",
        apart=True,
    ),
    "html": Format(
        "files.html:read_html",
        (".html", ".htm", ".xhtml"),
        "one a file: its main text without navigation",
        FILE,
        needs="selectolax",
        apart=True,
    ),
    "docx": Format("files.office:read_docx", (".docx",), "one a file", FILE, apart=True),
    "odt": Format("files.office:read_odt", (".odt", ".odp"), "one a file", FILE, apart=True),
    "pptx": Format(
        "files.office:read_pptx", (".pptx",), "one a file: slides and their notes", FILE, apart=True
    ),
    "epub": Format(
        "files.epub:read_epub", (".epub",), "one a file", FILE, needs="selectolax", apart=True
    ),
    "eml": Format(
        "files.mail:read_eml",
        (".eml",),
        "one a file; the subject is the title, attachments are named and not read",
        FILE,
        apart=True,
    ),
    "mbox": Format(
        "files.mail:read_mbox", (".mbox",), "one a letter, as eml", "its Message-ID", apart=True
    ),
    "ipynb": Format(
        "files.notebook:read_ipynb",
        (".ipynb",),
        "one a file: text and code without output",
        FILE,
        apart=True,
    ),
    "excel": Format(
        "tables:read_sheets",
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        "one a row of each sheet",
        RECORD,
        needs="python_calamine",
        columns=True,
        apart=True,
    ),
    "parquet": Format(
        "tables:read_parquet",
        (".parquet",),
        "one a row",
        RECORD,
        needs="pyarrow",
        columns=True,
        apart=True,
    ),
    "arrow": Format(
        "tables:read_arrow",
        (".arrow", ".feather"),
        "one a row of an Arrow file, a stream or Feather",
        RECORD,
        needs="pyarrow",
        columns=True,
        apart=True,
    ),
    "zip": Format(
        "ordered:read_source",
        (".zip",),
        "those of the files in it",
        "as of files, `archive.zip!path`",
        holds=True,
    ),
    "tar": Format(
        "ordered:read_source",
        (".tar", ".tgz", ".tbz2", ".txz", ".tzst"),
        "those of the files in it",
        "as of files, `archive.tar!path`",
        holds=True,
    ),
    "svmlight": Format(
        "vectors:read_svmlight",
        (".svm", ".svmlight", ".libsvm"),
        "one a line: a label and `number:value` pairs",
        "file and line",
        vectors=True,
    ),
    "npy": Format("vectors:read_npy", (".npy",), "one a row of a matrix", ROW, vectors=True),
    "npz": Format(
        "vectors:read_npz",
        (".npz",),
        "one a row of a matrix, or of a matrix written by `scipy.sparse.save_npz`",
        ROW,
        vectors=True,
    ),
}
SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}


def library(module: str, source: Source, what: str) -> Any:
    """The module that reads a format; an error that says how to install it if it is not there."""
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(
            f"{source.name}: reading {what} needs {distribution(module)}: "
            f"pip install 'likewise[{EXTRA}]'"
        ) from error


def distribution(module: str) -> str:
    """The name under which a module is installed."""
    return module.partition(".")[0].replace("_", "-")
