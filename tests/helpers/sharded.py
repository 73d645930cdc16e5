"""Indexes in shards for tests: of documents that are divided as a test wants them to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helpers.store_specimen import TEXTS
from likewise import Document, Index
from likewise.feedback import Ranker, Start
from likewise.store.joining import join
from likewise.store.shards import shard_folder
from likewise.store.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def joined(path: Path, parts: Sequence[Any], **settings: Any) -> Index:
    """An index with one shard for each part of the documents, however long these are."""
    settings = {"latent": 0, **settings}
    Index.create(path, shards=len(parts), **settings)
    for number, part in enumerate(parts):
        shard = Index.create(path / shard_folder(number), **settings)
        if len(part):
            shard.add(part)
    with Transaction(path, shards=True) as change:
        change.commit(join(change, [shard_folder(i) for i in range(len(parts))]))
    return Index.open(path)


def whole(path: Path, documents: Sequence[Any], **settings: Any) -> Index:
    """The same documents in an index without shards."""
    made = Index.create(path, latent=0, **settings)
    if len(documents):
        made.add(documents)
    return made


def pairs(hits: Iterable[Any]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


def pages_of(index: Index, topic: Sequence[str], pages: int, k: int) -> list[list[str]]:
    """The ids that a ranker shows on each of so many pages, which are judged by a topic."""
    ranker, shown = Ranker(index.searcher, Start("search engine retrieval")), []
    for _ in range(pages):
        shown.append([hit.id for hit in ranker.page(k).hits])
        ranker.judge({id: id in topic for id in shown[-1]})
    return shown


def specimen(path: Path) -> Index:
    """What tests/data has as this version writes it, without its locks: documents that were added,
    deleted and added again.
    """
    made = Index.create(path, shards=2, latent=0)
    made.add([Document(id, text) for id, text in TEXTS.items()])
    made.delete("dogs")
    made.add([Document("late", "A late document about dogs")])
    return made
