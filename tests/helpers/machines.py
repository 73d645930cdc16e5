"""Machines that know an index by its URL: each has a folder of copies of its own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def machine(tmp_path: Path, name: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKEWISE_CACHE", str(tmp_path / name))
        yield
