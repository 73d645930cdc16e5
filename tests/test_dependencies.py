"""What is needed is pinned with hashes, and its licences are listed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# LGPL and MPL bind those who change these packages themselves, which nobody here does.
PERMISSIVE = re.compile(r"MIT|BSD|Apache|ISC|PSF|Python Software|Zlib|LGPL|MPL")


def names(requirements):
    found = {canonicalize_name(Requirement(line).name) for line in requirements}
    return found - {"likewise"}


def needed(*extras):
    optional = PROJECT["project"]["optional-dependencies"]
    return names(line for extra in extras for line in optional[extra])


@pytest.fixture(scope="module")
def lock():
    return (ROOT / "requirements-dev.lock").read_text()


def test_everything_is_pinned(lock):
    pinned = set(re.findall(r"^([a-z0-9.-]+)==", lock, re.MULTILINE))
    asked = names(PROJECT["project"]["dependencies"]) | names(PROJECT["build-system"]["requires"])
    asked |= needed("check", "test", "eval", "formats", "postgres", "server")
    assert asked <= pinned


def test_every_pin_has_hashes(lock):
    for pin in re.split(r"\n(?=\S)", lock.strip()):
        assert re.match(r"\S+==\S+", pin), pin
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", pin), pin


def test_the_lock_names_no_place(lock):
    assert "/" not in lock
    assert "--index" not in lock
    assert not re.search(r"^(?![a-z0-9]|    --hash=)", lock.strip(), re.MULTILINE | re.IGNORECASE)


def test_licences_are_listed():
    page = (ROOT / "docs" / "licences.md").read_text()
    rows = dict(re.findall(r"^\| ([a-z0-9][a-z0-9.-]*) \| (.+?) \|", page, re.MULTILINE))
    asked = names(PROJECT["project"]["dependencies"])
    asked |= needed("adapters", "cluster", "embed", "eval", "formats", "mcp", "postgres", "server")
    asked.discard("likewise")  # an extra may ask for another one of ours
    assert asked <= rows.keys()
    for name, licence in rows.items():
        assert PERMISSIVE.search(licence) or "not installed" in licence, (name, licence)
