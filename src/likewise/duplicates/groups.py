"""Pairs joined into groups, and the record that stands for each: the most complete one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Member(NamedTuple):
    """A document of a group: how alike it and its nearest other one are, and by what."""

    id: str
    title: str
    similarity: float
    reason: str


class Group(NamedTuple):
    """Records of one paper; the first, the most complete one, stands for all."""

    members: tuple[Member, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(member.id for member in self.members)

    @property
    def representative(self) -> str:
        return self.members[0].id


class Links:
    """A union-find: which documents are joined, however the pairs were ordered."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def join(self, a: int, b: int) -> None:
        a, b = self._top(a), self._top(b)
        if a != b:
            self._parents[max(a, b)] = min(a, b)

    def _top(self, number: int) -> int:
        top = number
        while (above := self._parents.setdefault(top, top)) != top:
            top = above
        while (above := self._parents[number]) != top:
            self._parents[number], number = top, above
        return top

    def groups(self) -> list[list[int]]:
        """The documents joined, each group ascending, in the order of their first."""
        found: dict[int, list[int]] = {}
        for number in sorted(self._parents):
            found.setdefault(self._top(number), []).append(number)
        return [group for group in found.values() if len(group) > 1]


def joined(pairs: Iterable[tuple[int, int]], rank: Callable[[int], Any]) -> list[list[int]]:
    """Groups of documents, in each the one of the highest rank first."""
    links = Links()
    for a, b in pairs:
        links.join(a, b)
    groups = [sorted(group, key=rank, reverse=True) for group in links.groups()]
    return sorted(groups, key=lambda group: min(group))
