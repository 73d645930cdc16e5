"""What an index takes on disk, in all and by part, beside the JSON lines that it is made of."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from harness import Figure
from likewise import Index
from likewise.store.container import Container
from likewise.store.manifest import read_manifest
from rows import Row, times
from workspace import size_on_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "Bytes of all files of an index, as one `add` of the JSON lines leaves it, with the latent "
    "space (the default) and without it; no embeddings. The parts are those of the first of these: "
    "documents (compressed), titles as hits show them, parts of titles, the latent space's rows "
    "and its model, counts by document and by term (columns, counts, offsets), tables of ids and "
    "terms, fields by column."
)
PACKAGES = ("likewise",)
ARXIV = 40_000
PEER = "the JSON lines"
PARTS = {
    "documents": ("records",),
    "titles, for hits": ("titles",),
    "parts of titles": ("view titles",),
    "latent space, rows": ("view latent",),
    "latent space, model": ("model latent",),
    "counts by document": ("rows",),
    "counts by term": ("inverted",),
    "ids and terms": ("ids", "terms"),
    "fields": ("columns",),
}


def rows(workspace: Workspace) -> Iterator[Row]:
    some = workspace.directory / "arxiv-size.jsonl"
    with workspace.arxiv.open("rb") as lines, some.open("wb") as out:
        out.writelines(islice(lines, ARXIV))
    collections = {
        "20 Newsgroups": workspace.news,
        f"arXiv, {ARXIV:,}": some,
        "arXiv, 150,000": workspace.arxiv,
    }
    for name, source in collections.items():
        lines = megabytes(source.stat().st_size)
        bare, whole = (made(workspace, source, latent) for latent in (0, None))
        yield Row(f"{name}, no latent space", "MB", megabytes(size_on_disk(bare)), PEER, lines)
        goal = times(1)
        yield Row(f"{name}, all defaults", "MB", megabytes(size_on_disk(whole)), PEER, lines, goal)
        for part, size in parts(whole).items():
            yield Row(f"{name}, {part}", "MB", megabytes(size), PEER, lines)


def made(workspace: Workspace, source: Path, latent: int | None) -> Path:
    path = workspace.fresh(f"size-{latent}.idx")
    Index.create(path, latent=latent).add(source)
    return path


def parts(index: Path) -> dict[str, int]:
    """Bytes by part of an index."""
    manifest = read_manifest(index)
    found: dict[str, int] = {}
    for segment in manifest.segments:
        file = Container(index / segment.file, "segment")
        for name in file.names:
            section = name.split(".")[0]
            found[section] = found.get(section, 0) + file.array(name).nbytes
        for name, view in {**segment.views, **segment.sparse}.items():
            found[f"view {name}"] = found.get(f"view {name}", 0) + view.bytes
    for name, learned in manifest.views.items():
        found[f"model {name}"] = learned.bytes
    sizes = {
        part: sum(found.get(section, 0) for section in sections) for part, sections in PARTS.items()
    }
    return {part: size for part, size in sizes.items() if size}  # messages may have no titles


def megabytes(size: int) -> Figure:
    return Figure(size / 1e6, size / 1e6)
