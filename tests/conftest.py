"""What several test files share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from helpers import browser, postgres_server

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long something takes says nothing about whether it is right, least of all on a busy machine.
settings.register_profile("likewise", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("likewise")

# A shell's job in the background ignores Ctrl-C, and so would each program that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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


@pytest.fixture(scope="session")
def arxiv(tmp_path_factory):
    """The bundled collection in an index with all defaults, which tests only read."""
    from likewise import Index
    from likewise.datasets import arxiv_sample

    made = Index.create(tmp_path_factory.mktemp("arxiv") / "arxiv.idx")
    made.add(arxiv_sample())
    return made


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """The bundled collection in an index that a module's tests only read."""
    from helpers.server_client import make_index

    return make_index(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def client(index):
    """Of a server of the module's `index`."""
    from helpers.server_client import serving

    with serving(index.path) as client:
        yield client


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests keep between runs of tables goes with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKEWISE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def postgres():
    """A server for this process' tests; where there is none they skip, and say so loudly."""
    binaries = postgres_server.find_binaries()
    if binaries is None:
        pytest.skip(postgres_server.MISSING)
    server = postgres_server.Server(binaries)
    yield server
    server.remove()


@pytest.fixture(scope="session")
def web(tmp_path_factory):
    """A folder with the bundled collection as papers.idx and a browser; or a loud skip."""
    programs = browser.find_programs()
    if programs is None:
        pytest.skip(browser.MISSING)
    from likewise import Index
    from likewise.datasets import arxiv_sample

    folder = tmp_path_factory.mktemp("web")
    Index.create(folder / "papers.idx").add(arxiv_sample())
    with browser.running(programs, folder) as chrome:
        yield chrome, folder


@pytest.fixture(scope="session")
def web_address(web):
    """Where `likewise serve` serves the bundled collection."""
    with browser.serving(web[1] / "papers.idx") as address:
        yield address


@pytest.fixture
def page(web, web_address):
    """The page in a browser that has never seen it, and that finds nothing wrong with it."""
    chrome, folder = web
    seen = browser.Page(chrome, web_address, folder / "downloads")
    seen.forget()
    yield seen
    assert not seen.complaints()


def pytest_terminal_summary(terminalreporter):
    """A test that skips is easily overlooked; what nobody tested must not be."""
    skipped = terminalreporter.stats.get("skipped", [])
    for missing in (postgres_server.MISSING, browser.MISSING):
        if any(missing in str(report.longrepr) for report in skipped):
            terminalreporter.write_sep("!", missing, red=True, bold=True)
