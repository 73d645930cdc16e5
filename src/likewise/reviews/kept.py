"""A value that is made once for a state, and again when that has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Kept(Generic[T]):
    def __init__(self) -> None:
        self._made: tuple[object, T] | None = None

    def of(self, state: object, make: Callable[[], T]) -> T:
        if self._made is None or self._made[0] != state:
            self._made = (state, make())
        return self._made[1]
