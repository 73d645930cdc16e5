"""Shards of an index: what its manifest says of them. Each is an index in a folder of the whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARDS = "shards"  # the folder of all
DRAFT = ".draft-"  # begins the name of a folder in which a shard is being built
SHARD = rf"{SHARDS}/\d{{4,9}}"
MOST_SHARDS = 4096
MOST_TERMS = 2**31 - 1


class ShardEntry(msgspec.Struct, frozen=True):
    """An index that is a part of another, whose manifest lists its segments with all others.

    `file` says which number each of its terms has among those of all shards; the terms from number
    `first` on, up to the next shard's, were first used here.
    """

    folder: str
    generation: int  # that it had when the shards were joined
    terms: int  # of its own dictionary
    first: int
    file: str
    bytes: int


class Sharding(msgspec.Struct, frozen=True):
    """How an index is divided. All shards are filled in one step; before it there are none."""

    count: int
    shards: tuple[ShardEntry, ...] = ()
    terms: int = 0  # of all
    next: int = (
        0  # number of the next folder, unless those there have higher ones; none comes again
    )

    @property
    def ends(self) -> list[int]:
        """The number after the last term that each shard was first to use."""
        return [*(shard.first for shard in self.shards[1:]), self.terms][: len(self.shards)]

    @property
    def free(self) -> int:
        """The number of the next folder."""
        return max(
            [self.next, *(int(shard.folder.rpartition("/")[2]) + 1 for shard in self.shards)]
        )


def shard_folder(number: int) -> str:
    return f"{SHARDS}/{number:04}"


def folder_of(file: str) -> str:
    """The shard that a file is of; "" if it is the index' own."""
    return "/".join(file.split("/")[:-2])


def check_sharding(sharding: Sharding, segments: Sequence[tuple[str, int]]) -> None:
    """Raise a ValueError unless these can be the shards of segments, given by file and terms."""
    shards, ends = sharding.shards, sharding.ends
    folders = [shard.folder for shard in shards]
    _require(0 < sharding.count <= MOST_SHARDS, "it has no number of shards")
    _require(len(shards) in (0, sharding.count), "some of its shards are missing")
    named = all(re.fullmatch(SHARD, folder) for folder in folders)
    _require(named and len(set(folders)) == len(folders), "its shards have other names")
    owners = [folder_of(file) for file, _ in segments]
    _require(set(owners) <= set(folders), "a segment is of no shard")
    places = list(map(folders.index, owners))
    _require(places == sorted(places), "its segments are not in the order of its shards")
    begin = 0
    for shard, end in zip(shards, ends, strict=True):
        own = [terms for file, terms in segments if folder_of(file) == shard.folder]
        _require(max(own, default=0) <= shard.terms, f"{shard.folder} has more terms")
        _require(begin == shard.first <= end <= MOST_TERMS, f"{shard.folder} has no first term")
        _require(end - begin <= shard.terms, f"{shard.folder} has not so many terms")
        begin = end
    _require(begin == sharding.terms, "its shards have other terms")


def _require(truth: bool, otherwise: str) -> None:
    if not truth:
        raise ValueError(otherwise)
