"""The collections, unpacked once a run into a temporary directory, and indexes made of them."""

from __future__ import annotations

import bz2
import gzip
import shutil
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NEWS = "qbme/news20/20news-bydate.jsonl.gz"
ARXIV = "corpora/arxiv150k/docs.jsonl.bz2"
PACKAGES = "corpora/debian-packages/docs.jsonl.gz"
OPENERS = {".gz": gzip.open, ".bz2": bz2.open}
QUICK_DOCUMENTS = 2000
QUICK_STEPS = {NEWS: 9}  # one document of so many: this file is sorted by group
FIRST_FIELD = b'{"id": "'


class LeftOutError(Exception):
    """Why a benchmark cannot run here."""


class Workspace:
    def __init__(self, data: Path, directory: Path, *, quick: bool) -> None:
        self.data = data
        self.directory = directory
        self.quick = quick

    def rounds(self, number: int) -> int:
        return 1 if self.quick else number

    def documents(self, number: int) -> int:
        return min(number, QUICK_DOCUMENTS) if self.quick else number

    def file(self, name: str) -> Path:
        """A file of the collections."""
        path = self.data / name
        if not path.exists():
            raise LeftOutError(f"{path} is not there: name the folder of collections with --data")
        return path

    def fresh(self, name: str) -> Path:
        """A directory name under which nothing is stored yet."""
        path = self.directory / name
        if path.exists():
            shutil.rmtree(path)
        return path

    @cached_property
    def news(self) -> Path:
        """20 Newsgroups, 18,846 messages."""
        return self._unpacked(NEWS, "20news.jsonl")

    @cached_property
    def arxiv(self) -> Path:
        """150,000 arXiv abstracts."""
        return self._unpacked(ARXIV, "arxiv.jsonl")

    @cached_property
    def packages(self) -> Path:
        """Descriptions of Debian's packages."""
        return self._unpacked(PACKAGES, "packages.jsonl")

    @cached_property
    def news_index(self) -> Path:
        return self._indexed(self.news, "news.idx")

    @cached_property
    def arxiv_index(self) -> Path:
        return self._indexed(self.arxiv, "arxiv.idx")

    @cached_property
    def million_index(self) -> Path:
        """The abstracts repeated to a million."""
        repeated = self.repeated(3 * QUICK_DOCUMENTS if self.quick else 1_000_000)
        path = self._indexed(repeated, "million.idx")
        repeated.unlink()
        return path

    def repeated(self, documents: int) -> Path:
        """So many abstracts: the same again under new ids where there are too few."""
        source = self.arxiv
        lines = source.read_bytes().splitlines(keepends=True)
        self.require_space(documents * source.stat().st_size // len(lines))
        target = self.directory / f"arxiv-{documents}.jsonl"
        with target.open("wb") as out:
            for copy, first in enumerate(range(0, documents, len(lines))):
                out.writelines(renamed(lines[: documents - first], copy))
        return target

    def divided(self, source: Path, count: int) -> list[Path]:
        """A file of lines in so many of about the same number of lines."""
        lines = source.read_bytes().splitlines(keepends=True)
        found = [self.directory / f"part{i}-{source.name}" for i in range(count)]
        for i, path in enumerate(found):
            path.write_bytes(
                b"".join(lines[len(lines) * i // count : len(lines) * (i + 1) // count])
            )
        return found

    def require_space(self, size: int) -> None:
        """Refuse unless there is room for this much text and its index, twice over."""
        free = shutil.disk_usage(self.directory).free
        if free < 4 * size:
            raise LeftOutError(
                f"needs {4 * size / 1e9:.1f} GB in {self.directory}, which has {free / 1e9:.1f}:"
                " set TMPDIR to a larger place"
            )

    def _unpacked(self, name: str, target: str) -> Path:
        source, path = self.file(name), self.directory / target
        with OPENERS[source.suffix](source, "rb") as packed, path.open("wb") as out:
            if self.quick:
                step = QUICK_STEPS.get(name, 1)
                out.writelines(islice(packed, 0, QUICK_DOCUMENTS * step, step))
            else:
                shutil.copyfileobj(packed, out, 1 << 20)
        return path

    def _indexed(self, source: Path, name: str) -> Path:
        from likewise import Index

        path = self.fresh(name)
        Index.create(path, latent=0).add(source)
        return path


def renamed(lines: Iterable[bytes], copy: int) -> Iterable[bytes]:
    """The same documents, with the number of the copy in front of their ids."""
    prefix = FIRST_FIELD + f"{copy}/".encode()
    for line in lines:
        if not line.startswith(FIRST_FIELD):
            raise LeftOutError(f"a line starts with {line[:20]!r}, not with {FIRST_FIELD!r}")
        yield prefix + line.removeprefix(FIRST_FIELD)


def size_on_disk(path: Path) -> int:
    """Bytes of all files of a directory."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
