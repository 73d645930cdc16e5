"""The formats that can be read. A new one is a function and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.readers.batch import AnyBatch
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.streams import Source


class Reader(Protocol):
    """Turns a source into batches; reports what it has to leave out and raises InputError."""

    def __call__(
        self, source: Source, options: ReadOptions, problems: Problems
    ) -> Iterator[AnyBatch]: ...


class Format(NamedTuple):
    """A reader by name, imported on use; whether it takes column options or yields vectors."""

    reader: str
    suffixes: tuple[str, ...]
    columns: bool = False
    vectors: bool = False

    def load(self) -> Reader:
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"likewise.readers.{module}"), function)
        return reader


FORMATS = {
    "text": Format("plain:read_text", (".txt",)),
    "markdown": Format("plain:read_markdown", (".md", ".markdown")),
    "jsonl": Format("jsonl:read_jsonl", (".jsonl", ".ndjson"), columns=True),
    "csv": Format("delimited:read_csv", (".csv",), columns=True),
    "tsv": Format("delimited:read_tsv", (".tsv", ".tab"), columns=True),
    "ris": Format("ris:read_ris", (".ris",)),
    "svmlight": Format("vectors:read_svmlight", (".svm", ".svmlight", ".libsvm"), vectors=True),
    "npy": Format("vectors:read_npy", (".npy",), vectors=True),
    "npz": Format("vectors:read_npz", (".npz",), vectors=True),
}
SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
