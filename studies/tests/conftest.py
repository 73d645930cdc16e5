"""What tests of studies share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the data sets in ../shared, which is not here")
    return SHARED / "data"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests keep between runs of tables goes with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKEWISE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
