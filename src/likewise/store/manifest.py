"""What an index consists of: a small JSON file, replaced in one step after everything else."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from xxhash import xxh3_64_hexdigest

from likewise.errors import StoreError, sentence
from likewise.readers.roots import Root  # noqa: TC001  (decoded)
from likewise.store.container import FORMAT, newer_format
from likewise.store.disk import CHANGED, REBUILD, replace_file, sync_directory, writing
from likewise.store.shards import SHARD, Sharding, check_sharding, folder_of
from likewise.store.sources import SourceCounts  # noqa: TC001  (decoded)
from likewise.text.probe import Probe  # noqa: TC001  # msgspec asks for it
from likewise.views.precision import Precision  # noqa: TC001 msgspec reads it

if TYPE_CHECKING:
    from pathlib import Path

NAME = "manifest.json"
COPY = "manifest.copy.json"
SEGMENTS = "segments"  # the folder of all other files
OWN = rf"{SEGMENTS}/\d+\.(seg|g\d+\.del|view|model|numbers)"
FILE = re.compile(OWN)
ANY_FILE = re.compile(rf"({SHARD}/)?{OWN}")
SHARDED_FORMAT = FORMAT + 1  # of the manifest of an index in shards; those before it know none
MOST = 2**31 - 1  # documents of a segment, terms, dimensions
KindName = Literal["text", "counts", "values", "dense"]  # see kinds.py


class Deletions(msgspec.Struct, frozen=True):
    """The file that marks documents of one segment as deleted."""

    file: str
    bytes: int
    documents: int


class ViewRows(msgspec.Struct, frozen=True):
    """The file of one segment's rows of a view: a dense vector for each of its documents."""

    file: str
    bytes: int
    later: int = 0  # documents that came after the view was made: folded in, or without a vector


class SparseEntry(msgspec.Struct, frozen=True):
    """A view of counts beside the words, such as parts of titles, in so many columns.

    Sparse views have a field of their own: a version of this format that knows none passes them
    over, and an index that it writes has none.
    """

    width: int


class ViewEntry(msgspec.Struct, frozen=True):
    """A view beside the words: its width, and how many live documents it was made from."""

    dimensions: int
    documents: int
    seed: int = 0
    source: str = ""  # of vectors that were brought: a file, or the model that made them
    file: str | None = None  # what was learned, if anything was
    bytes: int = 0
    model: str = ""  # where the model is that made embeddings
    probe: tuple[float, ...] = ()  # what it makes of a certain sentence, to know it again by
    precision: Precision = "float32"  # of rows that are written from now on


class SegmentEntry(msgspec.Struct, frozen=True):
    file: str
    bytes: int
    documents: int
    terms: int  # of the whole dictionary, up to and including this segment
    deletions: Deletions | None = None
    views: dict[str, ViewRows] = {}
    sparse: dict[str, ViewRows] = {}

    @property
    def live(self) -> int:
        return self.documents - (self.deletions.documents if self.deletions else 0)


class Manifest(msgspec.Struct, frozen=True):
    """One generation of an index; settings are the analyzer's and mean nothing here."""

    settings: dict[str, Any] = {}
    generation: int = 0
    kind: KindName | None = None  # decided by the first documents added
    segments: tuple[SegmentEntry, ...] = ()
    next_file: int = 1  # names of files are never used twice
    identity: str = ""  # of the collection: a digest of the first documents ever added
    views: dict[str, ViewEntry] = {}
    latent: int | None = None  # dimensions wanted; None leaves it to the size, 0 wants none
    probe: Probe | None = None  # of the analyzer; None if the index is older than probes
    roots: dict[str, Root] = {}  # folders that were added, by name
    sparse: dict[str, SparseEntry] = {}
    title: str = ""  # as people call it; "" goes by its folder
    archived: bool = False  # not listed unless somebody asks
    sources: tuple[SourceCounts, ...] = ()  # what was read from which file
    sharding: Sharding | None = None
    made: str = ""  # of a shard: a digest of what it is built from, to know it again by

    @property
    def documents(self) -> int:
        return sum(segment.live for segment in self.segments)

    @property
    def terms(self) -> int:
        if self.sharding is not None:
            return self.sharding.terms
        return self.segments[-1].terms if self.segments else 0

    @property
    def files(self) -> set[str]:
        """Every file of this generation."""
        deletions = {segment.deletions.file for segment in self.segments if segment.deletions}
        rows = {
            rows.file
            for segment in self.segments
            for rows in (*segment.views.values(), *segment.sparse.values())
        }
        models = {view.file for view in self.views.values() if view.file}
        numbers = {shard.file for shard in self.sharding.shards} if self.sharding else set()
        return deletions | rows | models | numbers | {segment.file for segment in self.segments}


class _Envelope(msgspec.Struct, frozen=True):
    format: int
    checksum: str
    index: msgspec.Raw


def write_manifest(directory: Path, manifest: Manifest) -> None:
    content = encode_manifest(manifest)
    with writing(directory / NAME):
        replace_file(directory / NAME, content)
    with writing(directory, CHANGED):
        sync_directory(directory)
    with suppress(OSError):  # for `likewise check` only: nobody waits for it, nothing depends on it
        (directory / COPY).write_bytes(content)


def encode_manifest(manifest: Manifest) -> bytes:
    body = msgspec.json.format(msgspec.json.encode(manifest))
    format = FORMAT if manifest.sharding is None else SHARDED_FORMAT
    return msgspec.json.encode(_Envelope(format, xxh3_64_hexdigest(body), msgspec.Raw(body)))


def no_index(place: object) -> StoreError:
    return StoreError(f"no index at {place}: create one with `likewise index PATH -o {place}`")


def read_manifest(directory: Path) -> Manifest:
    path = directory / NAME
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise no_index(directory) from None
    except OSError as error:
        raise StoreError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    return decode_manifest(path, content)


def read_copy(directory: Path) -> Manifest | None:
    """The copy of the manifest, if there is one that is whole and tells of the files there are."""
    path = directory / COPY
    try:
        manifest = decode_manifest(path, path.read_bytes())
    except (OSError, StoreError):
        return None
    return manifest if has_files(directory, manifest) else None


def has_files(directory: Path, manifest: Manifest) -> bool:
    found = {f"{SEGMENTS}/{file.name}" for file in (directory / SEGMENTS).glob("*")}
    return manifest.files <= found


def decode_manifest(path: Path, content: bytes) -> Manifest:
    try:
        envelope = msgspec.json.decode(content, type=_Envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(
            f"{path} is not the manifest of an index ({sentence(error)}): {REBUILD}"
        ) from error
    if envelope.format > SHARDED_FORMAT:
        raise newer_format(path, envelope.format, SHARDED_FORMAT)
    if xxh3_64_hexdigest(bytes(envelope.index)) != envelope.checksum:
        raise StoreError(f"{path} is damaged, its checksum is not that of its content: {REBUILD}")
    try:
        manifest = msgspec.json.decode(envelope.index, type=Manifest)
        check_manifest(manifest)
    except (msgspec.MsgspecError, ValueError) as error:
        raise StoreError(f"{path} describes no index ({sentence(error)}): {REBUILD}") from error
    return manifest


def check_manifest(manifest: Manifest) -> None:
    """Raise a ValueError unless the numbers and names can be those of an index."""
    _require(manifest.generation >= 0 and manifest.next_file > 0, "its counters are negative")
    _require(bool(manifest.kind) or not manifest.segments, "its documents are of no kind")
    _require((manifest.latent or 0) >= 0, "its latent space has less than no dimensions")
    for name in manifest.files:
        _require(ANY_FILE.fullmatch(name) is not None, f"{name[:80]!r} is no file of an index")
    for view in manifest.views.values():
        _require(0 < view.dimensions <= MOST and view.documents >= 0, "a view has no dimensions")
        _require(all(map(math.isfinite, view.probe)), "a view's probe is not finite")
    for sparse in manifest.sparse.values():
        _require(0 < sparse.width <= MOST, "a sparse view has no columns")
    _require(not manifest.sparse.keys() & manifest.views.keys(), "two views have the same name")
    if manifest.sharding is not None:
        check_sharding(manifest.sharding, [(s.file, s.terms) for s in manifest.segments])
    folder, terms = "", 0
    for segment in manifest.segments:
        if (own := folder_of(segment.file)) != folder:
            folder, terms = own, 0
        _require(0 <= segment.documents <= MOST, f"{segment.file} has no number of documents")
        _require(terms <= segment.terms <= MOST, f"{segment.file} has no number of terms")
        terms = segment.terms
        deleted = segment.deletions.documents if segment.deletions else 0
        _require(0 <= deleted <= segment.documents, f"{segment.file} has not so many to delete")
        for name in manifest.views:
            _require(name in segment.views, f"{segment.file} is not in its view {name[:80]!r}")
        for name in manifest.sparse:
            _require(name in segment.sparse, f"{segment.file} is not in its view {name[:80]!r}")
        later = [rows.later for rows in segment.views.values()]
        _require(min(later, default=0) >= 0, f"{segment.file} has a view of later documents")


def _require(truth: bool, otherwise: str) -> None:
    if not truth:
        raise ValueError(otherwise)
