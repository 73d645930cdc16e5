"""Pages as they were shown: kept before anybody sees them, so that a restart shows them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.search.hits import Hit

if TYPE_CHECKING:
    from likewise.judgements.records import PageRow

RANDOM = "random"


class Shown(NamedTuple):
    """A page: documents to judge, the method that chose them, and why it was that one."""

    number: int
    """Of the reviewer's pages, from 1 on; 0 where nothing is left to show."""
    hits: tuple[Hit, ...]
    method: str
    reason: str

    @property
    def ids(self) -> list[str]:
        return [hit.id for hit in self.hits]


def encode_hits(hits: list[Hit]) -> str:
    return msgspec.json.encode(hits).decode()


def hits_of(row: PageRow) -> list[Hit]:
    return msgspec.json.decode(row.hits, type=list[Hit])


def ids_of(row: PageRow) -> list[str]:
    return [hit.id for hit in hits_of(row)]
