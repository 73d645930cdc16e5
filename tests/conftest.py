"""What several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the data sets in ../shared, which is not here")
    return SHARED / "data"
