"""Archives, .zip and .tar: each file in them is read as if it lay in a folder of that name.

Nothing is unpacked to disk. How much may come out of an archive, and how deep archives may lie in
each other, is limited.
"""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from likewise.errors import InputError, sentence
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.streams import Source, plain_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from likewise.readers.problems import Problems

EVERY = frozenset({"", *FORMATS})
DEEPEST = 3  # archives within each other
MOST_MEMBERS = 200_000
LARGEST_MEMBER = 1 << 28  # bytes, unpacked
RATIO = 100  # bytes that may come out for each byte of the archive …
ALLOWANCE = 1 << 26  # … after so many
DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, ValueError,
    OSError, RuntimeError, LookupError, OverflowError, struct.error, lzma.LZMAError,
)  # fmt: skip


class _Member(NamedTuple):
    name: str
    size: int
    encrypted: bool
    open: Callable[[], BinaryIO]


def listed(archive: Source) -> Iterator[tuple[str, str]]:
    """The files in an archive, each with its format; of an archive in it, what it may have."""
    try:
        for member in _members(archive):
            name = _inside(member.name)
            format = SUFFIXES.get(plain_suffix(PurePosixPath(name)), "")
            nested = bool(format) and FORMATS[format].holds
            for one in FORMATS if nested else [format]:
                yield f"{archive.name}!{name}", one
    except InputError:
        pass  # said when it is read
    finally:
        archive.close()


def members(
    archive: Source, problems: Problems, formats: Container[str] = EVERY, depth: int = 1
) -> Iterator[Source]:
    """The files of these formats in an archive, in its order, and those in archives in it."""
    budget = _Budget(archive)
    lies = archive.origin or (archive.name if archive.path else "")
    for member in _members(archive):
        name = _inside(member.name)
        path = PurePosixPath(name)
        if not name or any(part.startswith(".") for part in path.parts) or "__MACOSX" in path.parts:
            continue
        place = f"{archive.name}!{name}"
        format = SUFFIXES.get(plain_suffix(path), "")
        holds = bool(format) and FORMATS[format].holds
        if format not in formats and not (holds and depth < DEEPEST):
            continue
        if not format:
            problems.unknown[path.suffix.lower()] += 1
        elif FORMATS[format].vectors:
            problems.report(place, "vectors are not read out of an archive: unpack it first")
        elif member.encrypted:
            problems.report(place, "is encrypted: unpack the archive with its password first")
        elif holds and depth >= DEEPEST:
            problems.report(place, f"more than {DEEPEST} archives within each other: unpack it")
        else:
            try:
                content = budget.read(member, place)
            except _BombError:
                raise
            except InputError as error:
                problems.report(place, str(error).removeprefix(place).lstrip(": "))
                continue
            found = Source(
                place, f"{archive.id}!{name}" if archive.id else name, None, format,
                in_folder=True, content=content, limit=budget.left + len(content),
                encoding=archive.encoding, origin=f"{lies}!{name}" if lies else "",
            )  # fmt: skip
            if holds:
                yield from _nested(found, problems, formats, depth)
            else:
                yield found


def unpacked(archive: Source, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The files of an archive whose paths are wanted, within the limits for all archives."""
    budget = _Budget(archive)
    return {
        name: budget.read(member, f"{archive.name}!{name}")
        for member in _members(archive)
        if wanted(name := _inside(member.name))
    }


def _nested(
    archive: Source, problems: Problems, formats: Container[str], depth: int
) -> Iterator[Source]:
    try:
        yield from members(archive, problems, formats, depth + 1)
    except InputError as error:
        if archive.format not in formats:
            return  # said when files of other formats are read
        problems.report(archive.name, str(error).removeprefix(archive.name).lstrip(": "))


class _Budget:
    """How much may still come out of an archive."""

    def __init__(self, archive: Source) -> None:
        self._name = archive.name
        size = archive.size or len(archive.content or b"")
        self.left = ALLOWANCE + RATIO * size
        if archive.limit is not None:
            self.left = min(self.left, archive.limit)

    def read(self, member: _Member, place: str) -> bytes:
        """A member's bytes; one that is too large is left out, and too many end the archive."""
        most = min(LARGEST_MEMBER, self.left)
        try:
            with member.open() as stream:
                data = stream.read(most + 1)
        except DAMAGE as error:
            raise InputError(f"{place} is damaged: {sentence(error)}") from error
        if len(data) <= most:
            self.left -= len(data)
            return data
        if most == self.left:
            self.left = 0
            raise _BombError(
                f"{self._name} holds far more than its size tells, as an archive does that is "
                "meant to do harm: unpack what you need of it"
            )
        raise InputError(f"{place} is larger than {most:,} bytes: unpack it first")


class _BombError(InputError):
    """Ends the reading of an archive."""


def _members(archive: Source) -> Iterator[_Member]:
    listing = _tar if archive.format == "tar" else _zip
    try:
        for number, member in enumerate(listing(archive)):
            if number >= MOST_MEMBERS:
                raise InputError(f"{archive.name} has more than {MOST_MEMBERS:,} files: unpack it")
            yield member
    except DAMAGE as error:
        raise InputError(f"{archive.name} is damaged or cut short: {sentence(error)}") from error


def _zip(archive: Source) -> Iterator[_Member]:
    with _seekable(archive) as file, zipfile.ZipFile(file) as opened:
        for info in opened.infolist():
            if not info.filename.endswith("/"):  # is_dir fails on a name that is empty

                def unpack(info: zipfile.ZipInfo = info) -> BinaryIO:
                    return opened.open(info)  # type: ignore[return-value]

                yield _Member(info.filename, info.file_size, bool(info.flag_bits & 1), unpack)


def _seekable(archive: Source) -> BinaryIO:
    """The file itself, or all of it in memory if it comes compressed or out of another archive."""
    if archive.path is not None and archive.path.suffix.lower() == ".zip":
        return archive.path.open("rb")
    with archive.open() as stream:
        return io.BytesIO(stream.read())


def _tar(archive: Source) -> Iterator[_Member]:
    with archive.open() as stream, tarfile.open(fileobj=stream, mode="r|") as opened:
        for info in opened:
            if info.isreg():

                def unpack(info: tarfile.TarInfo = info) -> BinaryIO:
                    file = opened.extractfile(info)
                    assert file is not None  # it is a regular file
                    return file  # type: ignore[return-value]

                yield _Member(info.name, info.size, False, unpack)


def _inside(name: str) -> str:
    """A member's path as one that leads nowhere else."""
    parts = name.replace("\\", "/").split("/")
    kept = [part for part in parts if part not in ("", ".", "..")]
    return "/".join(kept).encode("utf-8", "replace").decode()
