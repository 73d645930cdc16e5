"""Zip files of XML, which office programs and e-books are: read within limits, nothing unpacked.

XML may declare no entities, so that nothing in it grows and no other file is asked for.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from likewise.errors import InputError, sentence
from likewise.readers.files.one import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from likewise.readers.streams import Source

LARGEST_PART = 1 << 27  # bytes of one part, unpacked
LARGEST_SUM = 1 << 29  # of all parts that are read
DEEPEST = 1000  # elements within each other
OLD_OFFICE = b"\xd0\xcf\x11\xe0"  # how files of older programs begin, and encrypted new ones
DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError,
    ValueError, LookupError, OverflowError, OSError,
)  # fmt: skip


class Package:
    """The parts of a zipped document by name."""

    def __init__(self, source: Source, kind: str) -> None:
        self.source, self.kind = source, kind
        data = whole(source)
        if data.startswith(OLD_OFFICE):
            raise InputError(
                f"{source.name} is encrypted or of an older program: save it anew as {kind}, "
                "without a password"
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except DAMAGE as error:
            raise InputError(f"{source.name} is no {kind} file or damaged: {error}") from error
        self.names = self._zip.namelist()
        self._left = LARGEST_SUM

    def read(self, name: str) -> bytes:
        """A part's bytes; empty if it is not there."""
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            return b""
        if info.flag_bits & 1:
            raise InputError(f"{self.source.name} is encrypted: save it without its password")
        most = min(LARGEST_PART, self._left)
        try:
            with self._zip.open(info) as part:
                data = part.read(most + 1)
        except (*DAMAGE, RuntimeError) as error:
            raise InputError(f"{self.source.name} is damaged: {sentence(error)}") from error
        if len(data) > most:
            raise InputError(
                f"{self.source.name}: its part {name} is larger than {most:,} bytes when it is "
                "unpacked: leave it out"
            )
        self._left -= len(data)
        return data

    def needed(self, name: str) -> bytes:
        data = self.read(name)
        if not data:
            raise InputError(f"{self.source.name} is no {self.kind} file: it has no {name}")
        return data


class Markup:
    """Calls of a parser of XML; names come without their namespace."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text within elements."""


def parse(data: bytes, markup: Markup, source: Source) -> None:
    """Parse XML; what is broken, nested too deeply or declares entities is an InputError."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise InputError(f"{source.name}: its XML is nested more than {DEEPEST} deep")
        markup.start(name.rpartition("}")[2], attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        markup.end(name.rpartition("}")[2])

    def refuse(*declaration: Any) -> None:
        raise InputError(f"{source.name}: its XML declares entities, which are not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = markup.data
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InputError(f"{source.name}: its XML is damaged: {sentence(error)}") from error


class Paragraphs(Markup):
    """The paragraphs of a text document, and the style of each.

    `inside` names the elements whose text counts, or all; `skip` those that are left out.
    """

    def __init__(
        self,
        *,
        inside: Collection[str] = (),
        skip: Collection[str] = (),
        style: Callable[[str, dict[str, str]], str] = lambda name, attributes: "",
    ) -> None:
        self._inside, self._skip, self._style = frozenset(inside), frozenset(skip), style
        self._skipped = self._within = 0
        self._parts: list[str] = []
        self._styled = ""
        self.texts: list[str] = []
        self.styles: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._skipped or name in self._skip:
            self._skipped += 1
            return
        if name in PARAGRAPHS:
            self._flush()
        elif name in SPACES:
            self._parts.append(SPACES[name])
        if name in (self._inside or PARAGRAPHS):
            self._within += 1
        self._styled = self._style(name, attributes) or self._styled

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        if name in (self._inside or PARAGRAPHS):
            self._within -= 1
        if name in PARAGRAPHS:
            self._flush()

    def data(self, text: str) -> None:
        if self._within and not self._skipped:
            self._parts.append(text)

    def _flush(self) -> None:
        text = "".join(self._parts).strip()
        if text:
            self.texts.append(text)
            self.styles.append(self._styled)
            self._styled = ""
        self._parts.clear()


PARAGRAPHS = frozenset({"p", "h"})
SPACES = {"tab": "\t", "br": "\n", "cr": "\n", "s": " ", "line-break": "\n", "noBreakHyphen": "-"}


class Properties(Markup):
    """The text of each element, by name: what a file says about itself."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}
        self._parts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._parts.clear()

    def data(self, text: str) -> None:
        self._parts.append(text)

    def end(self, name: str) -> None:
        if text := " ".join("".join(self._parts).split()):
            self.found.setdefault(name, []).append(text)
        self._parts.clear()


class Elements(Markup):
    """The attributes of every element of some names, in order."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)
        self.found: list[dict[str, str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in self._names:
            # Of `id` and `r:id` the second counts: it names what is related.
            keys = sorted(attributes, key=lambda key: "}" in key)
            self.found.append({key.rpartition("}")[2]: attributes[key] for key in keys})
