"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
MEMORY = Path("/dev/shm")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the data sets in ../shared, which is not here")
    return SHARED / "data"


@pytest.fixture
def quick_folder(tmp_path):
    """Where files need not wait for a disk, which killing a process does not lose, if possible."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)
